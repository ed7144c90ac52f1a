#pragma once

#include <filesystem>
#include <string_view>

#include "runtime/base/error.hpp"
#include "runtime/wire/message.hpp"
#include "schemas/job.capnp.h"

namespace slime::tools {

/// The same job with every path absolute, so that all processes mean the same files.
/// @param base  What relative paths start from.
runtime::Message<schema::JobSpec> with_absolute_paths(const runtime::Message<schema::JobSpec>& job,
                                                      const std::filesystem::path& base);

/// Whether the job's files on this machine are as a run needs them, found out before anything is
/// started. Blocks on the disk, and for 2 s while another process writes to its stores: one that
/// was killed lets go of them only when it is gone. Errors: not_found (no such data file, or no
/// such second place), invalid_argument (that is the checkpoint directory), already_exists (another
/// process writes to the stores of the checkpoint directory), io_error.
Status check_files(schema::JobSpec::Reader job);

/// Whether the stores of the job's checkpoint.directory on this machine, or else those of its
/// second place, hold any checkpoint, whole or not, of whatever run. @param head  Name of the node
/// with the manifests. Blocks on the disk. Errors: not_found, corruption (nothing in its store can
/// be read), io_error.
Status check_checkpoints(schema::JobSpec::Reader job, std::string_view head);

}  // namespace slime::tools
