@0xd3f1a7c29b5e4812;
# The conversation of a training job: coordinator, parameter shards, workers, and whoever watches
# the job. ARCHITECTURE.md draws the lease protocol; balancing.capnp is how shares are found.
# Additive only: new fields get the next ordinal; never renumber, never reuse.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("slime::schema");
using Ids = import "ids.capnp";
using Job = import "job.capnp";
using Checkpoint = import "checkpoint.capnp";
using Checkpointing = import "checkpointing.capnp";
using History = import "history.capnp";
using Usage = import "usage.capnp";

# -- Specs: what each actor is spawned with --

struct CoordinatorSpec {
  job        @0 :Job.JobSpec;
  resume     @1 :Bool;            # Continue from a checkpoint instead of starting anew.
  membership @2 :Ids.ActorAddress;
  directory  @3 :Ids.ActorAddress;
  run        @4 :Ids.RunId;       # Chosen by who submits it; all coordinators of a run have it.
  from       @5 :Checkpointing.CheckpointChoice;  # To continue from; absent: the job's newest.
}

struct WorkerSpec {
  job    @0 :Job.JobSpec;
  worker @1 :Ids.WorkerId;
}

struct ShardSpec {
  # A shard holds parameters [first, first + count) and their optimizer slots.
  job         @0 :Job.JobSpec;
  shard       @1 :Ids.ShardId;
  term        @2 :Ids.Term;
  inputs      @3 :UInt64;         # Numbers per sample, which with the layers gives the model.
  samples     @4 :UInt64;         # Of the training set.
  first       @5 :UInt64;
  count       @6 :UInt64;
  version     @7 :Ids.Iteration;  # Iterations already in the parameters.
  checkpointer @8 :Ids.ActorAddress;  # Of the shard's node; reads what `restore` names.
  runTerm     @10 :Ids.Term;      # First term of the run, handed to whoever adopts the shard.
  restore     @9 :Checkpoint.CheckpointManifest;
  # Where the parameters lie. Absent: they are the initial ones, from the seed.
  restoreFrom @11 :Text;  # Directory of the stores that `restore` names; empty: the job's own.
  standby     @12 :Bool;  # It begins with nothing, and the shard whose standby it is sends it all.
}

# -- Worker: spoken to by the coordinator --

struct Describe {
  # Coordinator -> worker, once it is spawned. Answered by Description when its data are loaded, or
  # with the reason why they cannot be.
}
struct Description {
  samples     @0 :UInt64;  # Training set.
  testSamples @1 :UInt64;
  inputs      @2 :UInt64;  # Numbers per sample.
  classes     @3 :UInt32;
  dataHash    @4 :UInt64;  # Of both sets; equal on all workers or the worker is refused.
  probeHash   @5 :UInt64;  # Of the gradient of a fixed block: equal when arithmetic is.
  device      @6 :Text;    # What computes, for people.
  term        @7 :Ids.Term;  # In force; 0 before the first Begin.
}

struct Begin {
  # Coordinator -> worker: work for this term. What was in flight under an older one is dropped.
  term        @0 :Ids.Term;
  coordinator @1 :Ids.ActorAddress;
  shards      @2 :List(ShardPlace);
  startedNs   @3 :Int64;   # Run time so far, for emulated changes and stalls.
}
struct ShardPlace {
  address @0 :Ids.ActorAddress;
  first   @1 :UInt64;
  count   @2 :UInt64;
}
struct Begun {
  term @0 :Ids.Term;
}

# -- Coordinator: spoken to by workers --

struct Next {
  # Worker -> coordinator: what shall I do? Asked again with the same sequence until answered.
  # Answered by Grant, once there is something to do.
  term     @0 :Ids.Term;
  worker   @1 :Ids.WorkerId;
  sequence @2 :UInt64;
  ahead    @3 :Bool;
  # Another group may be leased, though the present one is not sealed yet. Who was told to seal asks
  # so until the next lease, and is never told again.
}
struct Grant {
  union {
    compute  @0 :Lease;
    # Compute these blocks. Of the iteration of what is unsealed they are added to that. Otherwise
    # they are a group of their own: in answer to a question ahead the one after what is unsealed,
    # which thereby is complete; in answer to another one in place of it, because it was freed.
    seal     @1 :Void;      # No block is added to what is unsealed: seal it when it is computed.
    evaluate @2 :TestRange;
    finish   @3 :Void;      # The job is over.
  }
}
struct Lease {
  iteration  @0 :Ids.Iteration;
  blocks     @1 :List(UInt32);   # Within the iteration.
  minVersion @2 :Ids.Iteration;  # Compute at parameters of this version or newer.
  group      @3 :Ids.GroupId;    # Not 0: a sealed group issued again; push it under this id.
  runNs      @4 :Int64;          # Run time at the grant, for emulated changes and stalls.
  last       @5 :Bool;           # Nothing is left of the worker's own part of the iteration.
  learningRate @6 :Float64;      # The iteration's, to be pushed with the gradient.
}
struct TestRange {
  round   @0 :UInt64;
  first   @1 :UInt64;
  count   @2 :UInt64;
  version @3 :Ids.Iteration;
}

struct Seal {
  # Worker -> coordinator: these blocks are in my sum. Asked again until answered. Answered by
  # Sealed; a group's membership never changes again.
  term      @0 :Ids.Term;
  worker    @1 :Ids.WorkerId;
  sequence  @2 :UInt64;
  iteration @3 :Ids.Iteration;
  blocks    @4 :List(UInt32);
  measured  @5 :Measurement;
}
struct Sealed {
  group @0 :Ids.GroupId;
  # 0: refused, because another worker sealed one of the blocks first; drop the sum.
}

struct Complete {
  # Worker -> coordinator: every shard has this group, or a gradient cannot be used at all. Asked
  # again until answered.
  term    @0 :Ids.Term;
  worker  @1 :Ids.WorkerId;
  group   @2 :Ids.GroupId;
  failure @3 :Ids.Failure;  # Code 0: none. Otherwise no repetition can help; the job ends.
}
struct Completed {
}

struct Evaluated {
  # Worker -> coordinator: a part of the test set at one version. Asked again until answered.
  term    @0 :Ids.Term;
  worker  @1 :Ids.WorkerId;
  round   @2 :UInt64;
  first   @3 :UInt64;
  count   @4 :UInt64;
  correct @5 :UInt64;
  lossSum @6 :Float64;
}
struct EvaluationTaken {
}

struct Measurement {
  # What one group cost its worker. Times exclude each other.
  worker         @0 :Ids.WorkerId;
  iteration      @1 :Ids.Iteration;
  samples        @2 :UInt32;
  computeSeconds @3 :Float64;  # Computing only, emulated time included.
  fetchSeconds   @4 :Float64;  # From asking for parameters to having them.
  pushSeconds    @5 :Float64;  # Of the group before: from pushing to the last acknowledgement.
  waitSeconds    @6 :Float64;  # From the end of the group before to the first block of this one.
  usage          @7 :Usage.WorkerUsage;  # About once a second; absent otherwise.
}

# -- Parameter shard --

struct Prepare {
  # Coordinator -> shard. Answered by Prepared when the parameters are there, or with the reason
  # why they cannot be loaded.
}
struct Prepared {
}

struct Pull {
  # Worker or coordinator -> shard. Answered by Parameters once the shard's version is at least
  # `minVersion`; stale for another term.
  term       @0 :Ids.Term;
  minVersion @1 :Ids.Iteration;
  worker     @2 :Ids.WorkerId;
}
struct Parameters {
  version @0 :Ids.Iteration;  # Every sample of the iterations before it is in.
  values  @1 :Data;           # float32, little-endian.
}

struct Push {
  # Worker -> shard: a group's gradient, summed over its samples. Asked again until answered; staged
  # or applied once per group. Answered by Pushed; stale for another term; invalid_argument when
  # non-finite.
  term      @0 :Ids.Term;
  worker    @1 :Ids.WorkerId;
  group     @2 :Ids.GroupId;
  iteration @3 :Ids.Iteration;
  version   @4 :Ids.Iteration;  # Of the parameters it was computed at.
  blocks    @5 :List(UInt32);
  samples   @6 :UInt32;
  values    @7 :Data;
  # Sums: float32, or int64 fixed point when reduction is reproducible.
  learningRate @8 :Float64;
  # > 0, as the lease said: the coordinator alone computes it, so that all shards step alike.
}
struct Pushed {
  duplicate @0 :Bool;  # It was there already.
}

struct Commit {
  # Coordinator -> shard, in committed modes: these groups are the iteration. Asked again until
  # answered. Answered by Committed.
  term      @0 :Ids.Term;
  iteration @1 :Ids.Iteration;
  groups    @2 :List(Ids.GroupId);
}
struct Committed {
  version @0 :Ids.Iteration;
}

struct Adopt {
  # New coordinator -> shard: obey this term and say what you have. Answered by Inventory; stale
  # when a newer term is in force.
  # Term 0 changes nothing and only asks.
  term @0 :Ids.Term;
}
struct Inventory {
  version    @0 :Ids.Iteration;
  groups     @1 :List(GroupRecord);  # Staged, or applied to iterations not yet full.
  lastCommit @2 :List(Ids.GroupId);  # The groups of iteration version - 1, in committed modes.
  first      @3 :UInt64;
  count      @4 :UInt64;
  term       @5 :Ids.Term;       # In force.
  runTerm    @6 :Ids.Term;
  history    @7 :History.JobHistory;  # The newest it was told; absent: none yet.
  historyNs  @8 :Ids.Nanoseconds;     # Since then.
}
struct GroupRecord {
  group     @0 :Ids.GroupId;
  iteration @1 :Ids.Iteration;
  blocks    @2 :List(UInt32);
}

# -- Standbys, where replicas = 1: spoken to by their shard --
# A shard sends its standby what it has (Mirror), and then each Push and Commit that it took, in the
# same words. It answers whoever pushed or committed once the standby has answered, so the standby
# has whatever was acknowledged and may take the shard's place at any moment. When it has lost its
# standby, it answers nobody before the coordinator knows, which then counts on it no more.

struct Replicate {
  # Coordinator -> shard: have a standby from now on, in place of any other. Asked again until
  # answered. Answered by Replicated once the standby has everything that was acknowledged;
  # unavailable when it is lost before.
  term    @0 :Ids.Term;
  standby @1 :Ids.ActorAddress;
}
struct Replicated {
}

struct Mirror {
  # Shard -> standby: a piece of what the shard has, whose term is the standby's from then on. Asked
  # again until answered; one piece at a time, in their order. Answered by Mirrored; stale for an
  # older term.
  term    @0 :Ids.Term;
  piece   @1 :UInt32;  # From 0, with which the standby begins anew.
  slot    @2 :UInt32;  # 0: parameters; n: the optimizer's slot n - 1.
  first   @3 :UInt64;  # Position of the values within the shard's range.
  values  @4 :Data;    # float32, little-endian.
  whole   @5 :MirroredState;  # With the last piece only.
}
struct MirroredState {
  version    @0 :Ids.Iteration;
  groups     @1 :List(GroupRecord);  # Applied to iterations not yet full; none is staged.
  lastCommit @2 :List(Ids.GroupId);
}
struct Mirrored {
}

struct StandbyLost {
  # Shard -> coordinator: it answers whom it kept waiting for this standby once the coordinator has
  # taken note. Asked again until answered.
  term    @0 :Ids.Term;
  standby @1 :Ids.ActorAddress;
  failure @2 :Ids.Failure;
}
struct StandbyLostTaken {
}

struct Save {
  # Coordinator -> shard: copy yourself as you are at `version`, then write the copy. Answered by
  # Copied as soon as training may go on; the shard tells of the written part with PartSaved.
  term       @0 :Ids.Term;
  checkpoint @1 :UInt64;
  version    @2 :Ids.Iteration;
  checkpointer @3 :Ids.ActorAddress;  # Of the shard's node: the present one, since they may die.
  attempt    @4 :UInt64;
  # Counted over the coordinator's checkpoints, from 1: several may be tried at one iteration. A new
  # one ends those before it, and Save of an earlier one is stale.
}
struct Copied {
}
struct PartSaved {
  # Shard -> coordinator. Asked again until answered.
  term       @0 :Ids.Term;
  checkpoint @1 :UInt64;
  shard      @2 :Ids.ShardId;
  part       @3 :Checkpoint.StoredPart;
  failure    @4 :Ids.Failure;  # Code 0: none.
  attempt    @5 :UInt64;       # The one that was asked for it.
}
struct PartSavedTaken {
}

# -- Whoever watches the job --

struct GetProgress {
  # Anyone -> coordinator. Answered by Progress.
  eventsFrom @0 :UInt64;  # Events before this one are known.
}
enum JobState {
  starting @0;
  training @1;
  finished @2;
  failed   @3;
  stopped  @4;  # As asked, after a checkpoint where the job keeps any.
}
struct Progress {
  state         @0 :JobState;
  failure       @1 :Ids.Failure;
  term          @2 :Ids.Term;
  iteration     @3 :Ids.Iteration;   # The frontier.
  iterations    @4 :Ids.Iteration;   # Of the whole job.
  epoch         @5 :UInt32;
  samples       @6 :UInt64;          # Applied since the start of the job, whatever ran in between.
  runSeconds    @7 :Float64;         # First grant to last apply, evaluation excluded, of this run.
  runSamples    @8 :UInt64;          # Applied in this run, the basis of images/s.
  testAccuracy  @9 :Float64 = nan;
  testLoss      @10 :Float64 = nan;
  targets       @11 :List(TargetTime);
  workers       @12 :List(WorkerProgress);
  idealSeconds  @13 :Float64 = nan;  # Smallest possible run time of the samples, when emulated.
  parametersSha256 @14 :Text;        # Once finished.
  resumedFrom   @15 :Int64 = -1;     # Iteration of the checkpoint; -1: started anew.
  lastCheckpoint @16 :Int64 = -1;
  rollbacks     @17 :UInt32;
  lostIterations @18 :UInt64;        # Done again because of rollbacks.
  refusedPushes @19 :UInt64;         # Gradients that are not finite; the first one ends the job.
  events        @20 :List(Event);
  nextEvent     @21 :UInt64;
  slack         @22 :UInt32;         # The largest lead that a lease may have now.
  checkpointsLate @23 :UInt64;       # Due while another was being written, in this run.
  checkpointLostSeconds  @24 :Float64 = nan;  # Training time that one costs; nan: none is known.
  checkpointWriteSeconds @25 :Float64 = nan;  # From its beginning to its commit.
  checkpointIntervalSeconds @26 :Float64 = nan;  # Where it is computed.
  secondsBetweenFailures    @27 :Float64 = nan;  # What that was computed with.
  copiedCheckpoint @28 :Int64 = -1;  # Newest one that this run copied to the second place.
  copiesFailed     @29 :UInt64;      # Of this run; each is tried again at the next checkpoint.
  standbys      @30 :UInt32;         # Shards that have one which has all that was acknowledged.
  takeovers     @31 :UInt32;         # By standbys, under this coordinator.
}
struct TargetTime {
  accuracy @0 :Float64;
  seconds  @1 :Float64 = nan;        # Run time until it was first measured.
}
struct WorkerProgress {
  # All numbers are of this run, that is since its first grant: no death changes anything, not that
  # of the coordinator either; a resume begins another run.
  worker       @0 :Ids.WorkerId;
  alive        @1 :Bool;
  samples      @2 :UInt64;           # Brought in; again when done again after a rollback.
  share        @3 :Float64;          # Of the present iterations.
  busySeconds  @4 :Float64;          # Computing what it sealed.
  idleFraction @5 :Float64;          # Of the run's time since it began; a rollback's pause too.
  address      @6 :Ids.ActorAddress;
  usage        @7 :Usage.WorkerUsage;      # The newest; absent: none is known.
}
struct Event {
  # Something a person would want to know: a death, a rollback, a checkpoint.
  wallUs @0 :Int64;
  text   @1 :Text;
}

struct StopJob {
  # Anyone -> coordinator: checkpoint at the next boundary and stop. Answered by JobStopping; the
  # state becomes `stopped`.
}
struct JobStopping {
}
struct EndJob {
  # Anyone -> coordinator: the result was read; end the job's actors. Answered by JobEnded.
}
struct JobEnded {
}
