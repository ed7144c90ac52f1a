@0x9d4be1c07a35f261;
# Conversation of two links over one connection: the handshake and everything that is not an
# actor's message. Messages between actors follow in the frames of runtime/link/frame.hpp.
# Additive only: new fields get the next ordinal; never renumber, never reuse.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("slime::schema");

using Ids = import "/schemas/ids.capnp";

struct LinkHello {
  # Dialler -> acceptor, right after the preamble. Answered by LinkWelcome.
  clusterId        @0 :Text;
  token            @1 :Text;       # The cluster's secret.
  node             @2 :Ids.NodeId; # Of the dialler.
  incarnation      @3 :UInt64;
  name             @4 :Text;       # For people.
  messageBytesMax  @5 :UInt64;     # Longest message the dialler takes.
  creditBytes      @6 :UInt64;     # Bytes the acceptor may have in flight towards the dialler.
  lastSession      @7 :UInt64;     # Session the dialler last had with this acceptor; 0: none.
  probe            @8 :Bool;       # The dialler does not know whom it will find.
}

struct LinkWelcome {
  # Acceptor -> dialler. After an acceptance both sides send frames.
  union {
    accepted :group {
      session         @0 :UInt64;     # Names the connection; never 0.
      messageBytesMax @1 :UInt64;     # Longest message the acceptor takes.
      creditBytes     @2 :UInt64;     # Bytes the dialler may have in flight.
    }
    refused @3 :LinkFailure;
    duplicate @4 :Void;               # The two are connected already, or about to be.
  }
  clusterId   @5 :Text;
  token       @6 :Text;       # The cluster's secret; empty unless the dialler knew it.
  node        @7 :Ids.NodeId; # Of the acceptor.
  incarnation @8 :UInt64;
  name        @9 :Text;       # For people.
}

struct LinkFailure {
  # An error on its way to an actor.
  category @0 :UInt64; # Whose codes these are: an atom of the actor engine; 0: no error.
  code     @1 :UInt8;  # Within the category.
  context  @2 :Text;   # For people.
}

struct LinkControl {
  # Either side -> the other, no answer unless stated.
  union {
    heartbeat @0 :Void;      # Sent every heartbeat interval, whatever else is sent.
    credit    @1 :UInt64;    # Bytes of messages whose handlers have returned.
    goodbye   @2 :Text;      # The sender leaves on purpose; why.
    watch     @3 :UInt64;    # Number of an actor of the receiver. Answered by `down` when it ends.
    down :group {
      # An actor of the sender has ended.
      number  @4 :UInt64;
      reason  @5 :LinkFailure;
    }
    exit :group {
      # An exit signal, from a link or from `send_exit`.
      target  @6 :UInt64;            # An actor of the receiver.
      source  @7 :Ids.ActorAddress;
      failing @8 :LinkFailure;
    }
    failed :group {
      # A request is answered with an error.
      target  @9  :UInt64;           # The actor that asked, an actor of the receiver.
      id      @10 :UInt64;           # Id of the response.
      error   @11 :LinkFailure;
    }
  }
}
