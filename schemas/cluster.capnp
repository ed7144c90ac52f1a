@0xc4d0a6b8e2f17395;
# Conversations of the system actors: node agents, membership, directory, supervisor.
# Additive only: new fields get the next ordinal; never renumber, never reuse.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("slime::schema");
using Ids = import "ids.capnp";

enum MemberState {
  alive   @0;
  suspect @1;  # Silent for a while; still counted in.
  dead    @2;  # Declared dead: fenced for ever in this incarnation.
  left    @3;  # Said goodbye.
}

struct Member {
  # A node as the head knows it.
  node        @0 :Ids.NodeId;
  incarnation @1 :UInt64;
  name        @2 :Text;         # Unique among the living, such as "worker-0".
  roles       @3 :List(Text);   # What placement may put there, such as "worker", "shard".
  endpoints   @4 :List(Text);   # Where its link listens.
  state       @5 :MemberState;
  reason      @6 :Text;         # Why it is suspect, dead or left.
  pid         @7 :UInt32;       # Of its process, on its own host.
  changedUs   @8 :Int64;        # When the state changed, microseconds since 1970.
}

struct Join {
  # Node -> membership, once its link is up. Answered by Members, or stale when this incarnation
  # was declared dead.
  member @0 :Member;
}
struct Leave {
  # Node -> membership: a clean goodbye. Answered by Members.
  node        @0 :Ids.NodeId;
  incarnation @1 :UInt64;
  reason      @2 :Text;
}
struct Suspect {
  # Node -> membership: what its link noticed of a peer. Told.
  node        @0 :Ids.NodeId;
  incarnation @1 :UInt64;
  lost        @2 :Bool;   # True: the failure detector declared it dead.
  reason      @3 :Text;
  cleared     @4 :Bool;   # True: it was heard again; nothing is wrong with it.
  reporter    @5 :Ids.NodeId;  # Whose link noticed it.
}
struct GetMembers {
  # Anyone -> membership. Answered by Members.
}
struct SubscribeMembers {
  # Any actor -> membership: tell `subscriber` Members now and at every change. Answered by Members.
  subscriber @0 :Ids.ActorAddress;
}
struct Members {
  version @0 :UInt64;  # Raised by every change.
  members @1 :List(Member);
}

struct Spawn {
  # Anyone -> node agent: run an actor here. Answered by Spawned; invalid_argument for an unknown
  # type, internal with the exception's text when the constructor threw.
  type     @0 :Text;    # Its name in the node's catalogue.
  specType @1 :UInt64;  # Cap'n Proto id of the spec.
  spec     @2 :Data;    # The spec's words in flat stream format.
  key      @3 :UInt64;  # Not 0: repeating it, from the same sender, answers with the same actor.
}
struct Spawned {
  address @0 :Ids.ActorAddress;
}
struct Kill {
  # Anyone -> node agent: end an actor of this node. Answered by Killed; not_found.
  address @0 :Ids.ActorAddress;
  reason  @1 :Text;
}
struct Killed {
}
struct ListActors {
  # Anyone -> node agent. Answered by Actors.
}
struct Actors {
  actors @0 :List(ActorRecord);
}
struct ActorRecord {
  address @0 :Ids.ActorAddress;
  type    @1 :Text;
  alive   @2 :Bool;
  reason  @3 :Text;   # Why it ended.
}

struct Register {
  # Any actor -> directory: bind a name. Answered by Registered; already_exists when the name is
  # bound to another living actor and `replace` is false. A binding ends with its actor.
  name    @0 :Text;
  address @1 :Ids.ActorAddress;
  replace @2 :Bool;
}
struct Registered {
}
struct Lookup {
  # Anyone -> directory. Answered by Found; not_found.
  name @0 :Text;
}
struct Found {
  address @0 :Ids.ActorAddress;
}
struct ListNames {
  # Anyone -> directory: the bindings whose name starts with `prefix`. Answered by Names.
  prefix @0 :Text;
}
struct Names {
  names @0 :List(Binding);
}
struct Binding {
  name    @0 :Text;
  address @1 :Ids.ActorAddress;
}

struct RestartRule {
  # When a supervised actor is started again, however it ended.
  maxRestarts   @0 :UInt32 = 5;      # Beyond it the actor is given up; 0xffffffff: never.
  windowMs      @1 :UInt32 = 60000;  # Having run this long, it is forgiven its earlier restarts.
  backoffMs     @2 :UInt32 = 100;    # Pause before the first restart; doubled by each one after.
  backoffMaxMs  @3 :UInt32 = 10000;
}
struct Supervise {
  # Anyone -> supervisor: keep an actor of this type alive under `name` in the directory. Answered
  # by Supervised once it runs for the first time, or with its failure once it is given up.
  # A second Supervise of the same name is answered with the running one, or starts over one that
  # was given up.
  name  @0 :Text;
  spawn @1 :Spawn;
  role  @2 :Text;       # Placed on a member with this role; empty: any.
  rule  @3 :RestartRule;
}
struct Release {
  # Anyone -> supervisor: supervise `name` no longer; its actor goes on. Answered by Released;
  # not_found.
  name @0 :Text;
}
struct Released {
}
struct Supervised {
  address  @0 :Ids.ActorAddress;
  restarts @1 :UInt32;
}
struct ListSupervised {
  # Anyone -> supervisor. Answered by SupervisedActors.
}
struct SupervisedActors {
  actors @0 :List(SupervisedActor);
}
struct SupervisedActor {
  name     @0 :Text;
  address  @1 :Ids.ActorAddress;
  restarts @2 :UInt32;
  state    @3 :Text;   # "running", "starting", "waiting to restart", "waiting for a member",
                       # "given up".
  reason   @4 :Text;   # Of its last death.
  member   @5 :Text;   # Name of the member it runs or starts on.
}
