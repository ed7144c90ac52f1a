@0x8b2d6f04c1e7a935;
# How a job's shares are found: the coordinator hands what its workers measured, a Measurement of
# training.capnp, to the performance monitor; that filters it for the balancer; and the balancer
# tells the coordinator of new shares. All but SaveFilters are told: a lost one is replaced by the
# next.
# Additive only: new fields get the next ordinal; never renumber, never reuse.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("slime::schema");
using Ids = import "ids.capnp";
using Job = import "job.capnp";
using Usage = import "usage.capnp";

struct MonitorSpec {
  job         @0 :Job.JobSpec;
  coordinator @1 :Ids.ActorAddress;
  balancer    @2 :Ids.ActorAddress;
  filters     @3 :List(WorkerFilter);  # Of a checkpoint; empty: nothing is known yet.
}
struct WorkerFilter {
  worker @0 :Ids.WorkerId;
  state  @1 :Data;
}

struct BalancerSpec {
  job         @0 :Job.JobSpec;
  coordinator @1 :Ids.ActorAddress;
  startedNs   @2 :Int64;   # Run time so far; it goes on until RunTime says more.
}

struct Loads {
  # Monitor -> balancer and coordinator: what the filters say, once an iteration.
  iteration @0 :Ids.Iteration;
  workers   @1 :List(WorkerLoad);
}
struct WorkerLoad {
  worker           @0 :Ids.WorkerId;
  fixedSeconds     @1 :Float64;  # a of t = a + b x.
  secondsPerSample @2 :Float64;  # b.
  noise            @3 :Float64;  # Standard deviation of t relative to its mean.
  fetchSeconds     @4 :Float64;
  pushSeconds      @5 :Float64;
  waitSeconds      @6 :Float64;
  iterationSeconds @7 :Float64;  # Compute time of its last share, filtered.
  measured         @8 :Bool;     # False: nothing is known yet.
  changed          @9 :Bool;     # A change point was just detected.
  measurements     @10 :UInt32;  # Behind the estimate.
  usage            @11 :Usage.WorkerUsage;  # The newest; absent: none is known.
}
struct Shares {
  # Balancer -> coordinator: blocks of a full iteration for each worker.
  decision @0 :UInt64;
  shares   @1 :List(WorkerShare);
}
struct WorkerShare {
  worker @0 :Ids.WorkerId;
  blocks @1 :UInt32;
}
struct Forget {
  # Coordinator -> monitor and balancer: this worker is gone.
  worker @0 :Ids.WorkerId;
}
struct Enlist {
  # Coordinator -> monitor and balancer: this worker has begun.
  worker @0 :Ids.WorkerId;
}
struct RunTime {
  # Coordinator -> balancer, when the run's clock starts, stops or goes on: an emulated job declares
  # its speeds by it.
  elapsedNs @0 :Ids.Nanoseconds;
  ticking   @1 :Bool;  # False: it stands still, as while the job is evaluated.
}
struct SaveFilters {
  # Coordinator -> monitor. Answered by Filters.
}
struct Filters {
  filters @0 :List(WorkerFilter);
}
