#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "storage/checkpoint_store.hpp"
#include "tools/bench/busy_model.hpp"
#include "trainer/sync/block_changes.hpp"

namespace slime::bench {

/// One node's store and the parts that its shards save there, in the way that they do. Waits for
/// the disk. Throws std::runtime_error.
class ModelStore {
 public:
  static constexpr std::size_t parts = 16;

  /// @param parameters  Of the models that are saved.
  ModelStore(std::filesystem::path directory, std::uint64_t parameters);

  /// Applies an update to the model that changes every `stride`th block of both planes, and sees as
  /// a shard does which those are.
  void change(Model& model, std::size_t stride);

  /// Saves a checkpoint. Returns the bytes that were written and not shared.
  /// @param knowing  The parts say what has changed since they were last saved.
  std::uint64_t save(const Model& model, bool knowing);
  /// Drops all but the newest checkpoint.
  void prune();
  void restore(Model& model) const;
  void forget_cached() const;

 private:
  struct Part {
    Part(std::uint64_t from, std::uint64_t parameters)
        : first(from), count(parameters), changes(parameters) {}

    std::uint64_t first, count;
    trainer::BlockChanges changes;
    std::optional<storage::PartInfo> saved;
    std::uint64_t mark = 0;  ///< When that was.
  };

  std::filesystem::path directory_;
  storage::CheckpointStore store_;
  std::uint64_t iteration_ = 0;
  std::vector<Part> parts_;
};

}  // namespace slime::bench
