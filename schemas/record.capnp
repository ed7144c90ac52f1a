@0xc57e0b9d31a8f264;
# What a run did, in enough detail to draw it. A coordinator keeps the newest entries and tells them
# to whoever asks; `slime train` writes them to a file, where each line is a RecordLine as JSON, and
# `slime report` and `slime compare` read that.
# Additive only: new fields get the next ordinal; never renumber, never reuse. A reader takes what
# it does not know for `unknown`.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("slime::schema");
using Ids = import "ids.capnp";
using Job = import "job.capnp";
using Training = import "training.capnp";

# -- Between a coordinator and whoever watches the job --

struct GetRecord {
  # Anyone -> coordinator. Answered by Record.
  from @0 :UInt64;  # Entries before this one are known. Each coordinator counts its own, from 0.
}
struct Record {
  entries @0 :List(RecordEntry);  # In the order in which they happened; as many as a message takes.
  next    @1 :UInt64;             # What to ask from then.
  lost    @2 :UInt64;             # Entries that were wanted and are forgotten.
  more    @3 :Bool;               # There are more now.
}

# -- What happened --

struct RecordEntry {
  runSeconds @0 :Float64;  # Run time, which stands still while the job is evaluated.
  union {
    unknown    @1 :Void;   # Of a later version.
    started    @2 :TermStart;
    group      @3 :GroupSeal;
    shares     @4 :ShareDecision;
    evaluation @5 :EvaluationResult;
    joined     @6 :WorkerEntry;
    gone       @7 :WorkerEntry;
    rolledBack @8 :RollbackEntry;
    checkpoint @9 :CheckpointEntry;
  }
}

struct TermStart {
  # Training begins, or goes on after a rollback or under another coordinator.
  term       @0 :Ids.Term;
  iteration  @1 :Ids.Iteration;  # The first one.
  iterations @2 :Ids.Iteration;  # Of the whole job.
  reason     @3 :Text;
  # Whose standby took over, so that it goes on from there without a rollback. Otherwise empty.
}
struct GroupSeal {
  # A worker sealed a group; what it measured of it. The push is that of its group before.
  worker         @0 :Ids.WorkerId;
  samples        @1 :UInt32;      # 0: refused, because another worker sealed some of it first.
  iteration      @2 :Ids.Iteration;
  lead           @3 :UInt32;      # Iterations ahead of the oldest one with an unapplied sample.
  computeSeconds @4 :Float32;
  fetchSeconds   @5 :Float32;
  pushSeconds    @6 :Float32;
  waitSeconds    @7 :Float32;
}
struct ShareDecision {
  # New shares, and the newest loads that were known then.
  iteration @0 :Ids.Iteration;  # The newest that was measured.
  workers   @1 :List(ShareOfWorker);
}
struct ShareOfWorker {
  worker           @0 :Ids.WorkerId;
  blocks           @1 :UInt32;   # Of a full iteration.
  measured         @2 :Bool;     # False: nothing was known of it, and the rest says nothing.
  fixedSeconds     @3 :Float32;  # a of t = a + b x.
  secondsPerSample @4 :Float32;  # b.
  noise            @5 :Float32;  # Standard deviation of t relative to its mean.
}
struct EvaluationResult {
  iteration @0 :Ids.Iteration;
  samples   @1 :UInt64;  # Applied since the start of the job.
  accuracy  @2 :Float64;
  loss      @3 :Float64;
}
struct WorkerEntry {
  worker @0 :Ids.WorkerId;
  reason @1 :Text;  # Why it is gone.
}
struct RollbackEntry {
  fromIteration @0 :Ids.Iteration;
  toIteration   @1 :Ids.Iteration;
  reason        @2 :Text;
}
struct CheckpointEntry {
  iteration       @0 :Ids.Iteration;   # It is committed.
  lostSeconds     @1 :Float32 = nan;   # Training time that one costs, smoothed; nan: none is known.
  writeSeconds    @2 :Float32 = nan;   # From its beginning to its commit, smoothed.
  intervalSeconds @3 :Float32 = nan;   # To the next one, where that is computed.
  late            @4 :UInt64;          # Due so far while another was being written.
}

# -- The file --

struct RecordLine {
  union {
    unknown @0 :Void;          # Of a later version.
    header  @1 :RecordHeader;  # The first line and no other.
    entry   @2 :RecordEntry;
    gap     @3 :RecordGap;
    end     @4 :RecordEnd;     # The last line, unless the command was killed or goes on.
  }
}
struct RecordHeader {
  formatVersion @0 :UInt32;  # 1; raised when older readers would misunderstand what follows.
  slimeVersion  @1 :Text;
  run           @2 :Ids.RunId;
  startedUs     @3 :Int64;   # Microseconds since 1970.
  resume        @4 :Bool;    # It was to go on from a checkpoint.
  job           @5 :Job.JobSpec;
}
struct RecordGap {
  # Entries that nobody asked for before they were forgotten, or that went with their coordinator
  # or with the command that wrote them down.
  lost @0 :UInt64;  # 0: nobody knows how many.
}
struct RecordEnd {
  state    @0 :Training.JobState;  # Training: the command ended and the job did not.
  reason   @1 :Text;               # Why it failed.
  progress @2 :Training.Progress;  # The last there was, without events.
}
