#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "storage/checkpoint_id.hpp"

namespace slime::storage {

/// Which checkpoints are kept. The rules are independent: one stays if any of them wants it.
struct RetentionRules {
  std::uint64_t newest = 1;  ///< So many of the newest; never fewer than one.
  std::uint64_t best = 0;    ///< So many of the highest accuracy; of equals the newer.
  /// The first at or after each multiple of so many iterations, from the first multiple on; of
  /// several with its iteration, that of the latest term. 0: none.
  std::uint64_t every = 0;
};

/// What the rules know of a checkpoint.
struct RetentionCandidate {
  CheckpointId id;
  double accuracy = std::numeric_limits<double>::quiet_NaN();  ///< NaN: not measured.
  bool pinned = false;
  bool damaged = false;  ///< No rule counts it or wants it, but that of pins.
};

/// The rules that want a checkpoint.
struct KeptBecause {
  bool newest = false;
  bool best = false;
  bool every = false;
  bool pinned = false;

  bool any() const { return newest || best || every || pinned; }
};

/// What becomes of each candidate. Pure. @param candidates  Of one run, ascending by id.
std::vector<KeptBecause> decide_retention(std::span<const RetentionCandidate> candidates,
                                          const RetentionRules& rules);

}  // namespace slime::storage
