@0x9e1f4b7d20c865a3;
# What a job's reports tell of its run so far, kept where it outlives the coordinator that counted
# it: the shards hold the newest, and each checkpoint that of its moment.
# Additive only: new fields get the next ordinal; never renumber, never reuse.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("slime::schema");
using Ids = import "/schemas/ids.capnp";

struct JobHistory {
  # Coordinator -> shards, soon after whatever changes it. Told: a lost one is replaced by the next.
  # A shard keeps the newest of the term that it obeys and hands it to whoever adopts the shard.
  term           @0 :Ids.Term;
  number         @1 :UInt64;          # Raised by each telling of this term.
  firstIteration @2 :Ids.Iteration;   # Of the run.
  started        @3 :Bool;            # Something was granted.
  runNs          @4 :Ids.Nanoseconds; # Run time so far.
  ticking        @5 :Bool;            # It goes on; false while it is stopped for an evaluation.
  workers        @6 :List(WorkerAccount);  # By place.
  accuracy       @7 :Float64 = nan;   # On the test set, when it was last evaluated.
  loss           @8 :Float64 = nan;
  evaluatedAt    @9 :Int64 = -1;      # Iteration of that evaluation; -1: none yet.
  targets       @10 :List(TargetReached);
  rollbacks     @11 :UInt32;
  lostIterations @12 :UInt64;
  refusedPushes @13 :UInt64;
  resumedFrom   @14 :Int64 = -1;      # Iteration of the checkpoint; -1: started anew.
  stopWanted    @15 :Bool;            # It was asked to stop at the next boundary.
  crew          @16 :CrewTraits;
  checkpointsLate @17 :UInt64;        # Due while another was being written.
  checkpointCosts @18 :CheckpointCosts;
  resumedTerm   @19 :Ids.Term;        # Of the checkpoint that `resumedFrom` tells of.
  copied        @20 :Int64 = -1;      # Iteration of the newest copy at the second place; -1: none.
  copiesFailed  @21 :UInt64;
}

struct CheckpointCosts {
  # What checkpoints cost the job, and how often it failed, over all its runs.
  lostSeconds    @0 :Float64 = nan;  # Training time that one costs, smoothed; nan: none is known.
  writeSeconds   @1 :Float64 = nan;  # From its beginning to its commit, smoothed.
  failures       @2 :UInt64;         # That cost what came after the newest checkpoint.
  earlierSeconds @3 :Float64;        # Run time of the runs before this one.
}

struct WorkerAccount {
  samples        @0 :UInt64;
  busySeconds    @1 :Float64;
  presentSeconds @2 :Float64;        # Of those who held the place before.
  joinedSeconds  @3 :Float64 = nan;  # Run time when the present one came; nan: nobody is there.
  lives          @4 :List(Life);     # Only of jobs that emulate speeds.
}
struct Life {
  # Run time in which a worker was there.
  joinSeconds  @0 :Float64;
  deathSeconds @1 :Float64 = inf;    # inf: it lives.
}
struct TargetReached {
  accuracy @0 :Float64;
  seconds  @1 :Float64 = nan;        # Run time until it was first measured; nan: not yet.
}

struct CrewTraits {
  # What every worker of the job agrees on. All zero: not settled yet.
  samples     @0 :UInt64;  # Training set.
  testSamples @1 :UInt64;
  inputs      @2 :UInt64;  # Numbers per sample.
  dataHash    @3 :UInt64;
  probeHash   @4 :UInt64;
}
