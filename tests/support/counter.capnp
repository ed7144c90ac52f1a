@0xd8a14c7e3f6b2095;
# What a durable counter of the tests understands and keeps.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("slime::schema");

struct CounterSpec {
  name    @0 :Text;    # Under which its state is kept.
  version @1 :UInt32;  # As which it is kept; 0: the newest.
}
struct Add {
  # Changes the count. Answered by Count; invalid_argument when `by` is 0.
  by        @0 :UInt64;
  throwText @1 :Text;    # Not empty: thrown, after the count was changed.
  fill      @2 :UInt32;  # Bytes to make the answer larger by.
}
struct Nudge {
  # Told: changes the count.
  by @0 :UInt64;
}
struct GetCount {
  # Answered by Count.
}
struct Count {
  value @0 :UInt64;
  calls @1 :UInt64;  # How many of them changed it.
  fill  @2 :Data;
}

struct CounterState {
  # Version 3.
  count @0 :UInt64;
  calls @1 :UInt64;
}
struct FirstCounterState {
  # Version 1: it counted in dozens.
  dozens @0 :UInt32;
}
struct SecondCounterState {
  # Version 2: no calls were counted.
  count @0 :UInt64;
}
