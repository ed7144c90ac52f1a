#include "trainer/balance/proportional.hpp"

#include "trainer/balance/equal.hpp"
#include "trainer/balance/load_speeds.hpp"

namespace slime::trainer {

Result<std::vector<std::uint32_t>> ProportionalPolicy::split(const SplitTask& task,
                                                             std::span<const WorkerLoad> loads) {
  if (!any_measured(loads)) return EqualPolicy().split(task, loads);
  return split_in_proportion(task.units, present_speeds(task, loads), loads);
}

}  // namespace slime::trainer
