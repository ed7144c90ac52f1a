#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "runtime/base/error.hpp"
#include "runtime/wire/message.hpp"
#include "schemas/checkpointing.capnp.h"
#include "tools/slime/console.hpp"

namespace slime::tools {

using ResumePoint = runtime::Message<schema::CheckpointChoice>;

/// Where the stores of a job lie: in folders of this machine, or of the nodes of a cluster.
enum class StorePlace : std::uint8_t { here, cluster };

/// What `slime train --resume=TEXT` goes on from: "newest", "best" or an iteration of the job's own
/// checkpoints, or those of another place, "DIRECTORY|JOB.toml[@ITERATION|@newest|@best]". Its
/// directory is absolute. Blocks on the disk. Errors: not_found (no such place, or the job there
/// names no folder), invalid_argument.
Result<ResumePoint> resume_point(const std::string& text, StorePlace place,
                                 const Environment& environment);

/// Whether it is the newest of the job's own checkpoints.
bool is_own_newest(const ResumePoint& point);

/// Whether this machine's stores have what `point` names, every byte of it; of the newest, whether
/// there is any. Blocks on the disk. @param own  The job's own directory; empty: it has none.
/// Errors: not_found, corruption (the context lists which there are), io_error.
Status check_resume_point(const ResumePoint& point, const std::filesystem::path& own);

}  // namespace slime::tools
