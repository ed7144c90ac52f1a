@0xb5f0d3a86c1e7294;
# What the durable actor of slime-bench understands and keeps.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("slime::schema");

struct Mark {
  # Counts one. Answered by Tally.
}
struct Tally {
  # Also the actor's state.
  count @0 :UInt64;
  fill  @1 :Data;    # To give the state a size.
}
struct TallySpec {
  fillBytes @0 :UInt32;
}
