@0xc4e97d1a83b6f205;
# What a checkpoint is on disk. Every node keeps the parts that its parameter shards wrote in a
# store of its own; the head's store keeps one manifest that names all parts. A checkpoint exists
# once its manifest does. Layout is by parameter range, so any number of shards can load it.
# Additive only: new fields get the next ordinal; never renumber, never reuse.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("slime::schema");

using Ids = import "/schemas/ids.capnp";
using Job = import "/schemas/job.capnp";
using History = import "/schemas/history.capnp";

struct CheckpointManifest {
  # Written by the head's checkpointer, after every part is durable.
  iteration  @0 :Ids.Iteration;  # Iterations committed; the next one to run.
  term       @1 :Ids.Term;       # In which it was taken. (term, iteration) names a checkpoint.
  epoch      @2 :UInt64;         # Of the next sample, from 0.
  version    @3 :UInt64;         # Of the parameters: updates applied.
  samples    @4 :UInt64;         # Used since the job began, over all epochs.
  position   @5 :UInt64;         # In the epoch's permutation, of the next sample to be granted.
  job        @6 :Job.JobSpec;
  tensors    @7 :List(StoredTensor);  # In model order, without gaps.
  parts      @8 :List(StoredPart);    # Ascending; they cover the parameters exactly once.
  shares     @9 :Data;           # The balancer's own encoding.
  monitor   @10 :Data;           # The performance monitor's own encoding of its filters.
  accuracy  @11 :Float64 = nan;  # On the test set, in [0, 1]; nan: not measured.
  wallTimeUs @12 :Int64;         # When it was taken, microseconds since 1970; for people.
  slimeVersion @13 :Text;        # Of the program that wrote it.
  runTerm   @14 :Ids.Term;       # Of the run it belongs to, resumes included: its first term.
  run       @15 :Ids.RunId;      # That wrote it: a resume is another one.
  history   @16 :History.JobHistory;
}

struct StoredTensor {
  name   @0 :Text;
  shape  @1 :List(UInt64);
  offset @2 :UInt64;  # Of its first parameter in the model.
}

struct StoredPart {
  # One range of parameters with its optimizer slots, in one node's store.
  node     @0 :Text;    # Name of the node, which is the folder of its store.
  key      @1 :Text;    # Of the part's record in that store.
  checksum @2 :UInt32;  # CRC-32 of the record, which holds those of all blocks.
  first    @3 :UInt64;  # First parameter; a multiple of the block size.
  count    @4 :UInt64;  # Parameters.
  bytes    @5 :UInt64;  # Of values and slots, shared blocks included.
}

struct PartRecord {
  # How to read a part back. Stored beside its blocks, under the part's key.
  iteration @0 :Ids.Iteration;
  term      @1 :Ids.Term;
  version   @2 :UInt64;  # Of the parameters in this part.
  first     @3 :UInt64;  # First parameter.
  count     @4 :UInt64;  # Parameters.
  slots     @5 :UInt32;  # Optimizer slots; plane 0 holds the values, plane 1 + i holds slot i.
  blocks    @6 :List(BlockReference);  # By plane, then by position.
}

struct BlockReference {
  segment  @0 :UInt64;  # The write that stored the block; older than this part's where shared.
  checksum @1 :UInt32;  # CRC-32 of the block's bytes.
}
