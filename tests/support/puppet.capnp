@0xa1d3f28c5be09467;
# What the puppets of the tests say to each other.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("slime::schema");

struct Note {
  # Told; also the answer to a Question and a puppet's spec.
  value @0 :UInt64;
  fill  @1 :Data;    # To make it large.
}
struct Question {
  # Asked; answered by Note.
  value @0 :UInt64;
}
struct Riddle {
  # Nobody understands it.
}
