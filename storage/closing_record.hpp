#pragma once

#include <filesystem>
#include <vector>

#include "runtime/base/error.hpp"
#include "storage/database.hpp"

namespace slime::storage {

/// What the files of a store were when its last writer closed it, so that a change of any of their
/// bytes is found, of those too that RocksDB never reads. Table files are not in it: RocksDB's
/// bookkeeping has their checksums. There is none while the store has a writer, nor after one was
/// killed. All wait for the disk.

/// Makes the record. Precondition: the caller holds the store's lock, and its database is closed.
/// Errors: io_error.
Status record_closing(const std::filesystem::path& folder);
/// Removes the record, if there is one, before a writer changes anything. Errors: io_error.
Status forget_closing(const std::filesystem::path& folder);
/// The files that are not as the record says, or the record itself. Empty where there is none, and
/// where a writer comes meanwhile.
std::vector<Database::DamagedFile> changed_since_closing(const std::filesystem::path& folder);

}  // namespace slime::storage
