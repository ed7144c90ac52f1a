@0xd1a7c35e9b604f28;
# What a head keeps on disk so that its next process takes the cluster up. Its membership and its
# directory keep Members and Register of cluster.capnp.
# Additive only: new fields get the next ordinal; never renumber, never reuse.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("slime::schema");
using Ids = import "ids.capnp";
using Cluster = import "cluster.capnp";

struct KeptHead {
  # Who the head is, written by each of its processes before anybody can reach it.
  node        @0 :Ids.NodeId;    # The same for all of its processes.
  incarnation @1 :UInt64;        # Of the newest one; the next one's is higher.
  token       @2 :Text;          # The cluster's secret when the head drew it; empty: given to it.
  endpoints   @3 :List(Text);    # Where it really listens.
}

struct KeptCharge {
  # Supervisor: an actor that it keeps alive.
  order   @0 :Cluster.Supervise;
  address @1 :Ids.ActorAddress;  # Where it runs; number 0: nowhere now.
  member  @2 :Cluster.Member;    # Where it runs or starts: node, incarnation and name.
  key     @3 :UInt64;            # Of the newest Spawn; 0: none is under way and it does not run.
  failure @4 :Ids.Failure;       # Code not 0: it was given up.
}
