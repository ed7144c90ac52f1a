@0xf0d8c2b6a4937e51;
# Conversation with a checkpointer: the actor that alone writes its node's store.
# Additive only: new fields get the next ordinal; never renumber, never reuse.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("slime::schema");
using Ids = import "ids.capnp";
using Checkpoint = import "checkpoint.capnp";

struct CheckpointerSpec {
  directory @0 :Text;   # Of the job; the store lies in a folder of the node's name below it.
  node      @1 :Text;
}

struct OpenStore {
  # Coordinator -> checkpointer, before anything is written: take the store. Asked again until
  # answered. Answered by StoreOpened; already_exists when another writer holds it.
  term @0 :Ids.Term;  # Of the coordinator; earlier ones are refused from now on. 0: not known yet.
}
struct StoreOpened {
  repaired @0 :Text;
  # What was damaged and has been given up, and which checkpoints that cost; empty: nothing.
}

struct WritePart {
  # Shard -> checkpointer of its node. Answered by PartWritten once it is durable; stale when a
  # later term has taken the store.
  checkpoint @0 :UInt64;      # Its iteration; with the term it names the checkpoint.
  first      @1 :UInt64;
  values     @2 :Data;        # float32.
  slots      @3 :List(Data);  # Each as long as values.
  version    @4 :Ids.Iteration;
  term       @5 :Ids.Term;
  baseKey    @6 :Text;  # Of the newest part that the shard knows it wrote here; empty: none.
  baseChecksum @7 :UInt32;  # As PartWritten gave it.
  unchanged  @8 :List(Bool);  # For each block, whether values and slots are bitwise as there.
}
struct PartWritten {
  part @0 :Checkpoint.StoredPart;
}

struct ReadRange {
  # Shard -> checkpointer of its node: parameters [first, first + count) of this checkpoint, from
  # whichever stores hold them. Answered by RangeRead; corruption; io_error.
  manifest @0 :Checkpoint.CheckpointManifest;
  first    @1 :UInt64;
  count    @2 :UInt64;
  directory @3 :Text;  # Whose stores these are; empty: the job's own.
}
struct RangeRead {
  values @0 :Data;
  slots  @1 :List(Data);
}

struct CommitCheckpoint {
  # Coordinator -> checkpointer of the head: from now on the checkpoint exists. Then those of its
  # run go that no rule wants. Answered by CheckpointCommitted; stale when a later term has taken
  # the store.
  manifest  @0 :Checkpoint.CheckpointManifest;
  keep      @1 :UInt32;  # The rules are those of the job's settings: newest,
  keepBest  @2 :UInt32;  # of the highest accuracy,
  keepEvery @3 :UInt64;  # and the first after each multiple of so many iterations.
}
struct CheckpointCommitted {
  kept    @0 :List(CheckpointId);  # What other nodes are to keep; empty when older ones stay.
  pruning @1 :Ids.Failure;         # Why older ones could not be removed; code 0: they were.
}

struct LoadNewest {
  # Coordinator -> checkpointer of the head: the newest checkpoint that is whole. Answered by
  # NewestLoaded; io_error.
  takeOver @0 :Bool;      # A new coordinator asks: the store refuses `latestTerm` from now on.
  reached  @1 :Ids.Term;  # The latest that it knows of; counts for `latestTerm`.
  copyTo   @2 :Text;      # The job's second place, whose terms count, too; empty: none.
}
struct NewestLoaded {
  manifest @0 :Checkpoint.CheckpointManifest;
  skipped  @1 :List(Text);  # Newer ones that are not whole, and why.
  failure  @2 :Ids.Failure;
  # Why there is no manifest: not_found when there is no checkpoint, corruption when none is whole.
  # Code 0: there is one.
  latestTerm @3 :Ids.Term;
  # Of anything in the stores of all nodes and at the second place, uncommitted and damaged
  # checkpoints included. They refuse earlier terms, so whoever writes to them needs a later one. 0:
  # they hold nothing.
}

struct CheckpointChoice {
  # Which checkpoint a run goes on from.
  directory @0 :Text;            # Of its stores, absolute; empty: the job's own.
  checkpoint :union {
    newest    @1 :Void;          # That is whole; damaged ones are passed over.
    best      @2 :Void;          # Of the highest accuracy that was measured, the newest of equals.
    iteration @3 :Ids.Iteration; # Of several with it, that of the latest term.
    exact     @4 :CheckpointId;
  }
}
struct LoadChosen {
  # Coordinator -> checkpointer of the head: the checkpoint that a run was told to go on from, read
  # whole. Never another one, but for `newest`. Answered by ChosenLoaded; not_found; corruption;
  # io_error.
  choice @0 :CheckpointChoice;
}
struct ChosenLoaded {
  manifest @0 :Checkpoint.CheckpointManifest;
  skipped  @1 :List(Text);  # Those that could not be considered for their damage.
}

struct DropOld {
  # Coordinator -> checkpointers of other nodes, after a commit: parts of checkpoints that are not
  # listed may go. Told.
  keep @0 :List(CheckpointId);
  term @1 :Ids.Term;  # Of the coordinator; ignored when a later one has taken the store.
}
struct CheckpointId {
  term      @0 :Ids.Term;
  iteration @1 :Ids.Iteration;
}

struct CopierSpec {
  # A copier keeps a job's second place. It runs on the head, beside the checkpointer.
  directory @0 :Text;  # The job's own, whose stores it only reads.
  copyTo    @1 :Text;  # The second place.
  node      @2 :Text;  # The head, in whose store the manifests lie; names the store there, too.
}

struct CopyCheckpoint {
  # Coordinator -> copier: take a committed checkpoint to the second place, then remove what no rule
  # wants there. Answered by CheckpointCopied once it is whole and durable there; overloaded while
  # another one is being copied; stale when a later term was there; not_found when it was removed
  # meanwhile; corruption; already_exists; io_error.
  checkpoint @0 :CheckpointId;
  term       @1 :Ids.Term;  # Of the coordinator.
  keep       @2 :UInt32;    # As in CommitCheckpoint.
  keepBest   @3 :UInt32;
  keepEvery  @4 :UInt64;
}
struct CheckpointCopied {
  writtenBytes @0 :UInt64;
  sharedBytes  @1 :UInt64;       # Those that were there already.
  pruning      @2 :Ids.Failure;  # Why older ones could not be removed; code 0: they were.
}
