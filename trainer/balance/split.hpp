#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "runtime/base/error.hpp"

namespace slime::trainer {

/// One worker in a split: x units of work take `fixed_s + unit_s * x` seconds, none take none.
struct UnitCost {
  double fixed_s = 0;  ///< Not negative.
  double unit_s = 0;   ///< Positive.
  std::uint32_t units_min = 0;
  std::uint32_t units_max = std::numeric_limits<std::uint32_t>::max();
};

/// Divides `units` so that the last worker finishes as early as whole units allow: the exact
/// minimum of max_i (fixed_i + unit_i x_i) over those with x_i > 0. A worker whose fixed cost
/// alone reaches that time gets nothing (unless `units_min` says otherwise). Ties go to the earlier
/// in `costs`; of two workers with equal bounds and fixed costs the slower never gets more.
///
/// Water-filling finds the level T with sum_i clip((T - fixed_i) / unit_i, min_i, max_i) = units;
/// the rounded-down parts at T are within every optimal solution, and the fewer than n units left
/// go one by one to the earliest next finish. O(n log n).
/// Errors: invalid_argument (no workers, costs that are not finite or not positive, or bounds that
/// do not allow `units`).
Result<std::vector<std::uint32_t>> minmax_split(std::uint32_t units,
                                                std::span<const UnitCost> costs);

/// One worker in a division by weight.
struct ShareWeight {
  double weight = 0;  ///< Not negative.
  std::uint32_t units_min = 0;
  std::uint32_t units_max = std::numeric_limits<std::uint32_t>::max();
};

/// Divides `units` in proportion to the weights, as far as the bounds allow; weights that are all
/// zero count as equal, and one that is zero gets only what nobody else can take. Whole units by
/// largest remainder, ties to the earlier: nobody is a unit away from its due, which the min-max
/// rule does not promise, and a greater weight never gets less under the same bounds.
/// Errors: invalid_argument (no workers, weights that are not finite, or bounds that do not allow
/// `units`).
Result<std::vector<std::uint32_t>> proportional_split(std::uint32_t units,
                                                      std::span<const ShareWeight> workers);

/// Seconds until the last worker finishes. Precondition: one share per cost.
double makespan_s(std::span<const UnitCost> costs, std::span<const std::uint32_t> shares);

}  // namespace slime::trainer
