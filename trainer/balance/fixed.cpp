#include "trainer/balance/fixed.hpp"

#include "trainer/balance/load_speeds.hpp"

namespace slime::trainer {

Result<std::vector<std::uint32_t>> FixedPolicy::split(const SplitTask& task,
                                                      std::span<const WorkerLoad> loads) {
  std::vector<double> weights;
  for (const WorkerLoad& load : loads) {
    const auto worker = static_cast<std::size_t>(load.worker);
    weights.push_back(worker < shares_.size() ? shares_[worker] : 0);
  }
  return split_in_proportion(task.units, weights, loads);
}

}  // namespace slime::trainer
