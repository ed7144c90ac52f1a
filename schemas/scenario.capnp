@0xb5e83c1f6a9d2740;
# What `slime simulate` runs. Scenario files are TOML that maps onto `Scenario` as job files map
# onto JobSpec: names with unit, type, range, default and documentation stand here once.
# Additive only: new fields get the next ordinal; never renumber, never reuse.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("slime::schema");
using Job = import "job.capnp";

struct Scenario {
  name       @0 :Text $Job.doc("names the scenario in its reports")
    $Job.emptyMeans("the name of the file");
  workers    @1 :UInt32 = 8 $Job.range("[1, 10000]") $Job.doc("worker actors, each on its machine");
  shards     @2 :UInt32 = 1 $Job.range("[1, 64]") $Job.doc("parameter shards");
  iterations @3 :UInt32 = 300 $Job.range("[1, 1000000]") $Job.doc("iterations to train");
  batch      @4 :UInt32 = 1024 $Job.range("[1, 16777216]")
    $Job.doc("global batch: samples per iteration, over all workers");
  block      @5 :UInt32 = 4 $Job.range("[1, 16777216]") $Job.doc("samples of the unit of work");
  seed       @6 :UInt64 = 1 $Job.doc("of every random choice; a run replays from it");
  settled    @7 :Float64 = 1.05 $Job.range("[1, 1000]")
    $Job.doc("time over the oracle's at which a policy counts as back after a change");
  compute    @8 :Compute;
  link       @9 :Link;
  deaths     @10 :List(Death) $Job.emptyMeans("none") $Job.doc("machines that end at once");
  joins      @11 :List(LateJoin) $Job.emptyMeans("none")
    $Job.doc("workers that are not there from the start");
  runs       @12 :List(Run) $Job.doc("what to run, one after the other, each from the same seed");
  replicas   @13 :UInt32 = 0 $Job.range("[0, 1]")
    $Job.doc("as replicas of a job; each standby has a machine of its own");
}

struct Compute {
  # How long computing takes. Exact time is t = fixed_us + sample_us * samples, over the speed.
  sampleUs @0 :Float64 = 1000 $Job.range("(0, 1e9]")
    $Job.doc("time per sample at speed 1, in microseconds");
  fixedUs  @1 :Float64 = 0 $Job.range("[0, 1e9]")
    $Job.doc("time of each group of blocks beside that of its samples, in microseconds");
  speeds   @2 :List(Float64) $Job.range("[1e-6, 1e6]") $Job.emptyMeans("all 1.0")
    $Job.doc("relative speed of each worker; of more workers than speeds, from the first again");
  noise    @3 :Float64 = 0 $Job.range("[0, 3]")
    $Job.doc("standard deviation of the logarithm, independent per worker and iteration");
  tailChance   @4 :Float64 = 0 $Job.range("[0, 1]")
    $Job.doc("how often an iteration takes a worker longer by a factor with a heavy tail");
  tailExponent @5 :Float64 = 1.5 $Job.range("[0.1, 100]")
    $Job.doc("of the Pareto distribution of that factor, cut at 100; the smaller, the heavier");
  stalls   @6 :List(Job.Stall) $Job.emptyMeans("none")
    $Job.doc("moments at which a worker stands still");
  changes  @7 :List(Job.SpeedChange) $Job.emptyMeans("none")
    $Job.doc("moments at which a worker's speed changes");
  waves    @8 :List(Wave) $Job.emptyMeans("none")
    $Job.doc("speeds that keep changing");
}

enum Shape {
  square  @0 $Job.doc("full speed for half of the period, then the low one");
  diurnal @1 $Job.doc("from full to low and back along a cosine");
  drift   @2 $Job.doc("in a line from full to low over one period, and low from then on");
}

struct Wave {
  worker  @0 :UInt32 $Job.doc("position of the worker, from 0");
  shape   @1 :Shape = square $Job.doc("how the speed changes");
  periodSeconds @2 :Float64 = 60 $Job.range("[1e-3, 1e9]") $Job.doc("from full to full");
  low     @3 :Float64 = 0.5 $Job.range("[1e-6, 1]") $Job.doc("the lowest speed, of the full one");
  phase   @4 :Float64 = 0 $Job.range("[0, 1)") $Job.doc("of a period that has passed at the start");
}

struct Link {
  # Between any two machines. What is lost is asked for again by the actors.
  delayMinUs @0 :Float64 = 0 $Job.range("[0, 1e9]") $Job.doc("one way, at least");
  delayMaxUs @1 :Float64 = 0 $Job.range("[0, 1e9]") $Job.doc("one way, at most");
  loss       @2 :Float64 = 0 $Job.range("[0, 0.9]") $Job.doc("chance that a message vanishes");
  detectionSeconds @3 :Float64 = 5 $Job.range("[1e-3, 1e6]")
    $Job.doc("silence after which a machine is declared dead");
  partitions @4 :List(Partition) $Job.emptyMeans("none")
    $Job.doc("times in which nothing reaches a worker's machine");
}

struct Partition {
  worker     @0 :UInt32 $Job.doc("position of the worker, from 0");
  atSeconds  @1 :Float64 $Job.range("[0, 1e9]") $Job.doc("since the run's first grant");
  forSeconds @2 :Float64 $Job.range("[0, 1e9]")
    $Job.doc("how long; if the machine was declared dead, another one takes its place then");
}

struct Death {
  worker     @0 :UInt32 $Job.doc("position of the worker, from 0");
  atSeconds  @1 :Float64 $Job.range("[0, 1e9]") $Job.doc("since the run's first grant");
  forSeconds @2 :Float64 = 0 $Job.range("[0, 1e9]") $Job.emptyMeans("for good")
    $Job.doc("until another machine takes its place; 0: for good");
}

struct LateJoin {
  worker    @0 :UInt32 $Job.doc("position of the worker, from 0");
  atSeconds @1 :Float64 $Job.range("[0, 1e9]") $Job.doc("since the run's first grant");
}

struct Run {
  mode             @0 :Text = "bsp" $Job.doc("when a worker may start its next iteration");
  policy           @1 :Text = "adapt_fr" $Job.doc("how an iteration is split");
  fastReassignment @2 :Bool = false
    $Job.doc("let an idle worker take unsealed blocks of a slower one inside an iteration");
  stalenessMax     @3 :UInt32 = 3 $Job.range("[0, 1000]") $Job.doc("as sync.staleness_max of a job");
  stalenessMin     @4 :UInt32 = 0 $Job.range("[0, 1000]") $Job.doc("as sync.staleness_min of a job");
}
