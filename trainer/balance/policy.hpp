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
  double declared_sample_s = 0;  ///< What an emulated job declares now; 0: nothing. See `oracle`.
  std::uint32_t units_previous = 0;  ///< Its part of the latest full iteration; 0: it is new.
  std::uint32_t units_min = 0;
  std::uint32_t units_max = std::numeric_limits<std::uint32_t>::max();  ///< Its memory allows.
};

/// What is to be divided.
struct SplitTask {
  std::uint32_t units = 0;      ///< Blocks of a full iteration.
  std::uint32_t block = 1;      ///< Samples in a block; positive.
  std::uint64_t iteration = 0;  ///< The newest that was measured; never falls.
};

/// What a policy asks of the lease protocol, which otherwise does as the job's settings say.
/// Nothing here lets a block be lost or counted twice.
struct WorkRules {
  bool queue = false;         ///< Blocks have no owner: whoever is idle gets the next one.
  bool take_over = true;      ///< An idle worker may take unsealed blocks of a slower one.
  std::uint32_t helpers = 0;  ///< Who may: this many workers, next by id to it; 0: everybody.
  double overdue_factor = 0;  ///< In place of the job's; 0: as the job says.
};

/// Whether these rules let `helper` take blocks of `helped`, of so many workers in the job.
constexpr bool may_help(const WorkRules& rules, std::uint32_t workers, WorkerId helper,
                        WorkerId helped) {
  if (!rules.take_over || rules.helpers == 0) return rules.take_over;
  const auto first = static_cast<std::uint64_t>(helped);
  return (static_cast<std::uint64_t>(helper) + workers - first) % workers <= rules.helpers;
}

/// Decides how the blocks of an iteration are divided between the workers.
///
/// Shares are for a full iteration: with few blocks rounding matters (16 blocks over speeds
/// 1, 1, 1, 1/4 are 5, 5, 5, 1), so a policy is asked for whole iterations and never for parts.
/// A policy may remember what earlier calls showed it, but has no clock, chance or I/O: equal
/// sequences of calls give equal shares. What it remembers is lost with its owner, and it then
/// begins anew. Owned by one thread; no call blocks.
class BalancePolicy {
 public:
  virtual ~BalancePolicy() = default;

  /// Name used in job files; lower snake case, never changed once released.
  virtual std::string_view name() const = 0;

  /// Always the same for one policy; read once, when a job starts.
  virtual WorkRules work_rules() const { return {}; }

  /// One share per load, in the same order, adding up to the task's units.
  /// @param loads  Live workers, ascending by id (ties go to the first).
  /// Errors: invalid_argument (no loads, costs that are not finite, or bounds that do not allow
  /// the units).
  virtual Result<std::vector<std::uint32_t>> split(const SplitTask& task,
                                                   std::span<const WorkerLoad> loads) = 0;
};

}  // namespace slime::trainer
