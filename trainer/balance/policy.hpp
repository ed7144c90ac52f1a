#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/base/error.hpp"
#include "runtime/base/ids.hpp"
#include "trainer/balance/speed_estimator.hpp"

namespace slime::trainer {

/// One live worker as a policy sees it. Units are the blocks of a full iteration.
struct WorkerLoad {
  WorkerId worker{};
  SpeedEstimate speed;
  std::uint32_t units_previous = 0;  ///< Its part of the latest full iteration; 0: it is new.
  std::uint32_t units_min = 0;
  std::uint32_t units_max = std::numeric_limits<std::uint32_t>::max();  ///< Its memory allows.
};

/// Decides how the blocks of an iteration are divided between the workers.
///
/// Shares are for a full iteration: with few blocks rounding matters (16 blocks over speeds
/// 1, 1, 1, 1/4 are 5, 5, 5, 1), so a policy is asked for whole iterations and never for parts.
/// A policy is a pure function of its arguments, without state, clock, chance or I/O; any thread
/// may call it, and it does not block.
class BalancePolicy {
 public:
  virtual ~BalancePolicy() = default;

  /// Name used in job files; lower snake case, never changed once released.
  virtual std::string_view name() const = 0;

  /// One share per load, in the same order, adding up to `units`.
  /// @param units  Blocks of the iteration.
  /// @param block  Samples in a block; positive.
  /// @param loads  Live workers, ascending by id (ties go to the first).
  /// Errors: invalid_argument (no loads, costs that are not finite, or bounds that do not allow
  /// `units`).
  virtual Result<std::vector<std::uint32_t>> split(std::uint32_t units, std::uint32_t block,
                                                   std::span<const WorkerLoad> loads) const = 0;
};

}  // namespace slime::trainer
