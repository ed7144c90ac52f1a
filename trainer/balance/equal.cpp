#include "trainer/balance/equal.hpp"

#include "trainer/balance/split.hpp"

namespace slime::trainer {

Result<std::vector<std::uint32_t>> EvenPolicy::split(const SplitTask& task,
                                                     std::span<const WorkerLoad> loads) {
  std::vector<UnitCost> costs;
  for (const WorkerLoad& load : loads) costs.push_back({0, 1, load.units_min, load.units_max});
  return minmax_split(task.units, costs);
}

}  // namespace slime::trainer
