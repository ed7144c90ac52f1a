@0xb8d3f07a5c1e9264;
# What a process of `slime chaos --simulate` tells the one that started it: a SeedOutcome a line, as
# JSON on its standard output. People read the same lines.
# Additive only: new fields get the next ordinal; never renumber, never reuse.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("slime::schema");

struct SeedOutcome {
  seed       @0 :UInt64;
  ok         @1 :Bool;           # No violation.
  drawn      @2 :Text;           # What the seed gave, for people.
  strikes    @3 :List(Struck);   # Faults that met somebody.
  violations @4 :List(Violation);
  seconds    @5 :Float64;        # Virtual, until the job was over.
  deliveries @6 :UInt64;
  hash       @7 :Text;           # Of every delivery, in 16 hexadecimal digits: equal when replayed.
  log        @8 :List(Text);     # Where something is violated, the last lines that actors logged.
}
struct Struck {
  fault @0 :Text;
  count @1 :UInt32;
}
struct Violation {
  invariant @0 :Text;
  evidence  @1 :Text;
}
