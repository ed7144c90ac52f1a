@0xe1a6c0f4d27b3985;
# The settings of a job, equal on all its nodes. This is the only table of options: name with unit,
# type, default and documentation stand here once. Job files are TOML; `learning_rate` in a file is
# `learningRate` here, a [table] is a group, an array of tables is a list of structs.
# Additive only: new fields get the next ordinal; never renumber, never reuse.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("slime::schema");

annotation doc @0xa4f81bb0c9d2e673 (field, enumerant) :Text;
# What the setting means, for `slime config show` and error messages.
annotation range @0xb91f3ed05c4a7712 (field) :Text;
# Values allowed, as an interval: "[1, 4096]", "(0, 1]". Bounded, so that sums and times made of them
# stay numbers.
annotation emptyMeans @0x9d17e2a6b3c8f045 (field) :Text;
# What an empty or absent value stands for.

enum Reduction {
  fast         @0 $doc("float32 sums; the result agrees within a tolerance");
  reproducible @1
    $doc("64-bit fixed-point sums; bit-identical whatever the shares, workers and shards");
}

enum Device {
  auto @0 $doc("the first of cuda and cpu that works here");
  cpu  @1 $doc("this machine's processors");
  cuda @2 $doc("an NVIDIA graphics card");
}

struct JobSpec {
  name    @0 :Text   $doc("names the job in the cluster's directory and in its reports");
  workers @1 :UInt32 = 1 $range("[1, 10000]") $doc("worker actors, each in a process of its own");
  shards  @2 :UInt32 = 1 $range("[1, 1024]") $doc("parameter shards");
  epochs  @3 :UInt32 = 1 $range("[1, 1000000]") $doc("passes over the training set");
  batch   @4 :UInt32 = 256 $range("[1, 4294967295]")
    $doc("global batch: samples per iteration, over all workers");
  block   @5 :UInt32 = 16 $range("[1, 4294967295]")
    $doc("samples computed alone: the unit of work and of reproducible sums");
  seed    @6 :UInt64 = 1
    $doc("of every random choice: initial parameters, sample order, emulated noise");
  reduction @7 :Reduction = fast $doc("how gradients are summed");
  device  @8 :Device = auto $doc("where workers compute");
  targetAccuracies @9 :List(Float64) $range("(0, 1]") $emptyMeans("none")
    $doc("report the time to reach each of these test accuracies");
  sync       @10 :Sync;
  balance    @11 :Balance;
  model      @12 :Model;
  optimizer  @13 :Optimizer;
  data       @14 :Data;
  checkpoint @15 :Checkpoint;
  evaluate   @16 :Evaluate;
  emulate    @17 :Emulate;
  replicas   @18 :UInt32 = 0 $range("[0, 1]")
    $doc("standbys of each parameter shard: 1 has another take its place at once when it dies");
}

struct Sync {
  mode         @0 :Text = "bsp"
    $doc("when a worker may start its next iteration: bsp, asp, ssp, dsp, dssp, a_dsp");
  stalenessMax @1 :UInt32 = 3 $range("[0, 1000]")
    $doc("iterations a lease may run ahead of the oldest unapplied sample: the weak threshold w");
  damping      @2 :Bool = true
    $doc("outside bsp, divide a late update's step by its delay in iterations (DynSGD)");
  stalenessMin @3 :UInt32 = 0 $range("[0, 1000]")
    $doc("the lower threshold of dssp, which chooses between this and staleness_max");
}

enum AfterTuning {
  freeze  @0 $doc("keep the tuned shares to the end");
  adaptFr @1 $doc("begin with the tuned shares and follow the workers by AdaptFR");
}

struct Balance {
  policy           @0 :Text = "adapt_fr"
    $doc("how an iteration is split: adapt_fr, equal, auto_t and others; a wrong name lists all");
  fastReassignment @1 :Bool = true
    $doc("let an idle worker take unsealed blocks of a slower one inside an iteration");
  overdueFactor    @2 :Float64 = 3 $range("[1, 1000000]")
    $doc("give a block to a second worker once it takes this many times its expected time");
  fixedShares      @3 :List(Float64) $range("[0, 1000000]") $emptyMeans("all equal")
    $doc("relative share of each worker, for policy = \"fixed\"");
  afterTuning      @4 :AfterTuning = freeze
    $doc("what policy = \"auto_t\" does once its shares are tuned");
}

struct Model {
  layers @0 :List(Text)
    $doc("in order, such as \"dense 512 relu\"; the last one gives the classes");
}

enum Schedule {
  constant @0 $doc("the same from first to last");
  step     @1 $doc("multiply by step_factor every step_epochs");
  cosine   @2 $doc("fall to zero over the job along half a cosine");
}

struct Optimizer {
  kind         @0 :Text = "sgd" $doc("how parameters follow gradients: sgd");
  learningRate @1 :Float64 = 0.1 $range("(0, 1e30]")
    $doc("step along the mean gradient of an iteration, at the job's start");
  momentum     @2 :Float64 = 0 $range("[0, 1)") $doc("heavy-ball momentum");
  weightDecay  @3 :Float64 = 0 $range("[0, 1e30]")
    $doc("added to the gradient: decay times the parameter");
  schedule     @4 :Schedule = constant $doc("how the learning rate changes with the samples used");
  stepEpochs   @5 :Float64 = 1 $range("(0, 1000000]")
    $doc("epochs between steps, for schedule = \"step\"");
  stepFactor   @6 :Float64 = 0.1 $range("(0, 1]")
    $doc("of the learning rate, for schedule = \"step\"");
}

struct Data {
  format @0 :Text = "idx" $doc("of the data files: idx, gzipped or not");
  train  @1 :List(Text) $doc("files of the training set: images, labels");
  test   @2 :List(Text) $doc("files of the test set: images, labels");
}

enum CheckpointInterval {
  fixed    @0 $doc("as every_iterations and every_seconds say");
  computed @1
    $doc("what loses least to checkpoints and failures (Daly), by the measured cost of one");
}

struct Checkpoint {
  # One is written at a time. What falls due meanwhile is late: it is written next, at once.
  directory       @0 :Text $emptyMeans("no checkpoints")
    $doc("folder of the stores, readable by every node");
  everyIterations @1 :UInt64 = 0
    $doc("write a checkpoint after this many iterations; 0: not by iterations");
  everySeconds    @2 :Float64 = 0 $range("[0, 1000000000]")
    $doc("write a checkpoint after this many seconds; 0: not by time");
  keep            @3 :UInt32 = 3 $range("[1, 1000000]")
    $doc("newest checkpoints of the run to keep");
  interval        @4 :CheckpointInterval = fixed
    $doc("how often to write a checkpoint beside the last one: fixed, or computed");
  secondsBetweenFailures @5 :Float64 = 86400 $range("[1, 1000000000]")
    $doc("mean time between failures to expect, for interval = \"computed\"; those seen correct it");
  overheadMax     @6 :Float64 = 0.02 $range("[0.0001, 0.5]")
    $doc("share of the time that checkpoints may cost, for interval = \"computed\"");
  keepBest        @7 :UInt32 = 0 $range("[0, 1000000]")
    $doc("also keep so many of the highest accuracy, of those that are evaluated when they are made");
  keepEvery       @8 :UInt64 = 0
    $doc("also keep the run's first checkpoint after each so many iterations; 0: none");
  copyTo          @9 :Text $emptyMeans("no copies")
    $doc("a second folder, of this job alone, that the head copies each committed checkpoint to");
}

struct Evaluate {
  everyIterations @0 :UInt64 = 0 $emptyMeans("at the end of each epoch")
    $doc("measure the test accuracy after this many iterations; 0: at the end of each epoch");
}

struct Emulate {
  # Declared heterogeneity, waited for on the actor clock. Absent: none.
  sampleUs @0 :Float64 = 0 $range("[0, 1000000000]")
    $doc("base time per sample in microseconds, waited for if computing is quicker; 0: none");
  speeds   @1 :List(Float64) $range("[0.000001, 1000000]") $emptyMeans("all 1.0")
    $doc("relative speed of each worker");
  noise    @2 :Float64 = 0 $range("[0, 10]")
    $doc("standard deviation of the logarithm, independent per worker and iteration");
  stalls   @3 :List(Stall) $emptyMeans("none") $doc("moments at which a worker stands still");
  changes  @4 :List(SpeedChange) $emptyMeans("none")
    $doc("moments at which a worker's speed changes");
  fixedUs  @5 :Float64 = 0 $range("[0, 1000000000]")
    $doc("base time of each group of blocks beside that of its samples, in microseconds");
  tailChance   @6 :Float64 = 0 $range("[0, 1]")
    $doc("how often an iteration takes a worker longer by a factor with a heavy tail");
  tailExponent @7 :Float64 = 1.5 $range("(0, 100]")
    $doc("of the Pareto distribution of that factor, cut at 100; the smaller, the heavier");
}

struct Stall {
  worker     @0 :UInt32 $doc("position of the worker, from 0");
  atSeconds  @1 :Float64 $range("[0, 1000000000]") $doc("since the run's first grant");
  forSeconds @2 :Float64 $range("[0, 1000000000]") $doc("how long it stands still");
}

struct SpeedChange {
  worker    @0 :UInt32 $doc("position of the worker, from 0");
  atSeconds @1 :Float64 $range("[0, 1000000000]") $doc("since the run's first grant");
  speed     @2 :Float64 $range("[0.000001, 1000000]") $doc("relative speed from then on");
}
