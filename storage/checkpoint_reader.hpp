#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "runtime/base/error.hpp"
#include "storage/checkpoint_store.hpp"
#include "storage/opened_stores.hpp"

namespace slime::storage {

/// A range of a model's parameters.
struct ParameterRange {
  std::uint64_t first = 0;
  std::uint64_t count = std::numeric_limits<std::uint64_t>::max();  ///< By default, all the rest.
};

/// One checkpoint, read from the stores of all nodes by parameter range: however many shards wrote
/// it, any number can load it. Changes nothing in the stores, which may have writers.
///
/// Confined to one thread at a time. Every call may wait for the disk.
class CheckpointReader {
 public:
  /// Opens the stores in `directory` that hold parameters of `range`, and the records of those
  /// parts. Errors: corruption (a store, or the part it should have, is missing or damaged),
  /// io_error.
  static Result<CheckpointReader> open(const std::filesystem::path& directory,
                                       const Manifest& manifest, ParameterRange range = {});
  /// The same, where several checkpoints are read in turn.
  static Result<CheckpointReader> open(std::shared_ptr<OpenedStores> stores,
                                       const Manifest& manifest, ParameterRange range = {});

  /// Optimizer slots of each parameter.
  std::uint32_t slots() const { return parts_.empty() ? 0 : parts_.front().record.slots; }
  /// What the writers of the opened parts said, ascending by range.
  std::vector<PartHeader> headers() const;

  /// Fills `values` and each of `slots` with parameters from `first` on; every block is verified.
  /// `slots` has `slots()` entries as long as `values`, or none. On an error the spans hold
  /// anything. Errors: invalid_argument (not in the opened range), corruption, io_error.
  Status read(std::uint64_t first, std::span<float> values,
              std::span<const std::span<float>> slots) const;
  /// The same for one plane: 0 holds the values, 1 + i slot i. Errors: also invalid_argument (no
  /// such plane).
  Status read_plane(std::uint32_t plane, std::uint64_t first, std::span<float> out) const;
  /// Reads every byte of the opened parts. Errors: corruption, io_error.
  Status verify() const;

 private:
  CheckpointReader() = default;

  std::shared_ptr<OpenedStores> stores_;
  std::vector<OpenedPart> parts_;  // Their stores are in `stores_`.
};

}  // namespace slime::storage
