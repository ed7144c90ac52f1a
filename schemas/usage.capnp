@0xa1d7f3526be8409c;
# What a worker's process takes of its machine, as it reports with its measurements; the monitor and
# the coordinator tell the newest on.
# Additive only: new fields get the next ordinal; never renumber, never reuse.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("slime::schema");

struct WorkerUsage {
  cpuSeconds    @0 :Float64;  # Of all processors, since the process began.
  stealFraction @1 :Float64;  # Of the machine's processor time since the report before, kept by its
                              # host.
  runQueue      @2 :UInt32;   # Threads of the whole machine that run or wait to, at that moment.
  memoryBytes   @3 :UInt64;   # In memory at that moment.
  bytesIn       @4 :UInt64;   # Parameters fetched since the worker began.
  bytesOut      @5 :UInt64;   # Gradients pushed since then.
}
