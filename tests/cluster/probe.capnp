@0x9d1f6c0b7a3e4825;
# What the actor that cluster tests poke at understands.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("slime::schema");
using Ids = import "/schemas/ids.capnp";

struct ProbeSpec {
  throwText @0 :Text;    # Not empty: the constructor throws it.
}
struct Say {
  # Answered by Said, after a while.
  text    @0 :Text;
  delayMs @1 :UInt32;    # 0xffffffff: never.
}
struct Said {
  text  @0 :Text;
  count @1 :UInt32;      # Of the messages the actor has handled.
}
struct Crash {
  # Told: throws in its handler.
  text @0 :Text;
}
struct Block {
  # Told: holds the actor's thread.
  ms @0 :UInt32;
}
struct Relay {
  # Asks `to` to say `text` and answers with the answer, or its failure.
  to         @0 :Ids.ActorAddress;
  text       @1 :Text;
  delayMs    @2 :UInt32;
  deadlineMs @3 :UInt32;
}
struct Watch {
  # Watches `target`. Answered by Said once, when it ends, with why.
  target @0 :Ids.ActorAddress;
}
