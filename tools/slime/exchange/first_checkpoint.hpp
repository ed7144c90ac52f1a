#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "runtime/base/error.hpp"
#include "runtime/wire/message.hpp"
#include "schemas/job.capnp.h"
#include "storage/checkpoint_id.hpp"
#include "tools/slime/exchange/imported_planes.hpp"

namespace slime::tools {

/// A checkpoint from which a job begins at iteration 0, with parameters that it did not train.
struct FirstCheckpoint {
  std::filesystem::path directory;  ///< Of the job's stores; made if need be.
  std::string head;                 ///< Name of the node that will coordinate the job.
  std::span<const trainer::TensorInfo> tensors;
  std::int64_t wall_time_us = 0;  ///< When it is made, microseconds since 1970.
};

/// Reads all numbers and keeps none: whoever wants no half of a checkpoint does so before
/// `store_first_checkpoint`. Bounded memory. Errors: those of ImportedPlanes::read.
Status check_numbers(ImportedPlanes planes, std::uint64_t parameters);

/// Writes the checkpoint as the newest of the stores in its directory: its term is above whatever
/// is there, and what is there stays. Bounded memory; blocks on the disk. Errors: already_exists
/// (another process writes to the store), corruption, io_error, those of ImportedPlanes::read.
Result<storage::CheckpointId> store_first_checkpoint(const FirstCheckpoint& checkpoint,
                                                     const runtime::Message<schema::JobSpec>& job,
                                                     ImportedPlanes planes);

}  // namespace slime::tools
