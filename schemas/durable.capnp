@0xe3b57f0c2a91d846;
# Actors whose state outlives them: how they are called, what they say to the head's state store,
# and what that keeps.
# Additive only: new fields get the next ordinal; never renumber, never reuse.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("slime::schema");
using Ids = import "ids.capnp";

struct CallId {
  # One call, however often it is sent.
  caller @0 :Text;    # Whoever counts the calls; 1 to 256 bytes that nobody else uses.
  number @1 :UInt64;  # Consecutive; never given to another call of this caller.
}

struct CallOnce {
  # Anyone -> durable actor: carry out `message` unless it was done under this id, and answer as the
  # message is answered, in either case. Errors: stale when the call is too old to be known.
  id      @0 :CallId;
  type    @1 :UInt64;  # Cap'n Proto id of the message.
  message @2 :Data;    # Its words in flat stream format.
}

struct FindStateStore {
  # An actor -> the agent of its own node. Answered by StateStoreFound; unavailable while the agent
  # has not heard of its head.
}
struct StateStoreFound {
  address @0 :Ids.ActorAddress;
}

struct LoadState {
  # Durable actor -> state store, before it handles anything. Whoever loads is the one that may
  # write; whoever loaded before is fenced. Answered by LoadedState; incompatible when what is kept
  # is of a later version, and then nobody is fenced; corruption.
  name    @0 :Text;
  holder  @1 :Ids.ActorAddress;  # The actor. Repeating the request changes nothing.
  version @2 :UInt32;            # The newest that it understands.
}
struct LoadedState {
  generation @0 :UInt64;           # To be given with each write.
  state      @1 :ActorState;       # Type 0: there is none yet.
  replies    @2 :List(KeptReply);
}

struct SaveState {
  # Durable actor -> state store: keep all of it in one step. Answered by StateSaved once it is
  # durable; stale when another actor has loaded the state since. Repeating it changes nothing.
  name       @0 :Text;
  generation @1 :UInt64;
  write      @2 :UInt64;           # Of this generation, from 1; one after the other.
  state      @3 :ActorState;
  replies    @4 :List(KeptReply);  # To add.
  forgotten  @5 :List(CallId);     # Whose replies to drop.
}
struct StateSaved {
}

struct ActorState {
  # What an actor is to find again.
  type    @0 :UInt64;  # Cap'n Proto id of its schema.
  version @1 :UInt32;  # As the actor's author counts them.
  words   @2 :Data;    # In flat stream format.
}
struct KeptReply {
  # The answer to a call, for when that is repeated.
  id      @0 :CallId;
  type    @1 :UInt64;
  message @2 :Data;
}
struct KeptState {
  # Where the state store keeps an actor's state: this, beside the replies.
  generation @0 :UInt64;            # Raised by each actor that loads it.
  holder     @1 :Ids.ActorAddress;  # The last one that did.
  write      @2 :UInt64;            # Its last write; 0: none yet.
  state      @3 :ActorState;
}
