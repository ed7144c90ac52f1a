@0xb7c1f0d2a94e5d11;
# Identities used by every conversation, documented once.
# Additive only: new fields get the next ordinal; never renumber, never reuse.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("slime::schema");

using RunId = UInt64;      # Random, one for each time that a job is submitted; 0: none was given.
using WorkerId = UInt32;   # Position of a worker in its job, from 0.
using ShardId = UInt32;    # Position of a parameter shard in its job, from 0.
using Term = UInt64;       # Raised by each rollback and new coordinator; older ones are refused.
using Iteration = UInt64;  # Counted over the whole job, from 0.
using GroupId = UInt64;    # A sealed set of blocks; unique within a job.
using Nanoseconds = Int64; # A duration.

struct NodeId {
  # 128 random bits.
  high @0 :UInt64;
  low  @1 :UInt64;
}

struct ActorAddress {
  # Where an actor lives and which one it is.
  node        @0 :NodeId;
  incarnation @1 :UInt64;  # Of the node.
  number      @2 :UInt64;  # Of the actor on its node; 0 names no actor.
}

struct Failure {
  # An error as a message: what an ask is answered with when it fails.
  code    @0 :UInt8;  # slime::Errc.
  context @1 :Text;   # For people.
}
