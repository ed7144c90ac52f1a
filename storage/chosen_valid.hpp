#pragma once

#include <filesystem>

#include "runtime/base/error.hpp"
#include "storage/checkpoint_selection.hpp"
#include "storage/newest_valid.hpp"

namespace slime::storage {

/// The checkpoint that was chosen of those in `directory`, in whichever store its manifest lies,
/// once every byte of it is verified. Never another one: only where the newest is meant are damaged
/// ones passed over. Changes nothing; the stores may have writers. Waits for the disk.
///
/// What was `skipped` besides could not be considered: newer ones that are damaged, or, where the
/// best is meant, those whose manifest cannot be read.
///
/// Errors: not_found, corruption (the chosen one is damaged, or all are; the context lists which
/// there are), io_error.
Result<ValidCheckpoint> chosen_valid(const std::filesystem::path& directory,
                                     const CheckpointSelector& selector);

}  // namespace slime::storage
