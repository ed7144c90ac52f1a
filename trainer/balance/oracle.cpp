#include "trainer/balance/oracle.hpp"

#include <algorithm>

#include "trainer/balance/equal.hpp"
#include "trainer/balance/split.hpp"

namespace slime::trainer {

Result<std::vector<std::uint32_t>> OraclePolicy::split(const SplitTask& task,
                                                       std::span<const WorkerLoad> loads) {
  const bool told =
      std::ranges::all_of(loads, [](const WorkerLoad& load) { return load.declared_sample_s > 0; });
  if (!told) return EqualPolicy().split(task, loads);
  std::vector<UnitCost> costs;
  for (const WorkerLoad& load : loads)
    costs.push_back({0, load.declared_sample_s * task.block, load.units_min, load.units_max});
  return minmax_split(task.units, costs);
}

}  // namespace slime::trainer
