#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "runtime/base/error.hpp"
#include "storage/checkpoint_store.hpp"

namespace slime::storage {

/// A part of a checkpoint, and the store that has it.
struct OpenedPart {
  const CheckpointStore* store;  ///< Lives as long as the stores that gave it.
  PartRecord record;
};

/// The stores in a checkpoint directory, each opened for reading when it is first asked for, and
/// only then: one whose bookkeeping is damaged is read whole to open it.
///
/// Confined to one thread at a time. Waits for the disk.
class OpenedStores {
 public:
  explicit OpenedStores(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// The store of `node`, which lives as long as this does. Errors: those of
  /// CheckpointStore::open; corruption is the same each time.
  Result<const CheckpointStore*> of(const std::string& node);
  /// The part that a manifest names, whose record is read and checked against it. Errors:
  /// corruption (the store or the record is missing or damaged, or does not fit the manifest),
  /// io_error.
  Result<OpenedPart> part(schema::StoredPart::Reader stored);

  const std::filesystem::path& directory() const { return directory_; }

 private:
  std::filesystem::path directory_;
  std::map<std::string, Result<CheckpointStore>> stores_;
};

}  // namespace slime::storage
