#include "trainer/balance/random.hpp"

#include <cmath>

#include "runtime/base/random.hpp"
#include "trainer/balance/load_speeds.hpp"

namespace slime::trainer {

namespace {

// Apart from whatever else the job draws with its seed.
constexpr std::uint64_t stream = 0x5a4e;

}  // namespace

Result<std::vector<std::uint32_t>> RandomPolicy::split(const SplitTask& task,
                                                       std::span<const WorkerLoad> loads) {
  Random random(seed_, stream, task.iteration);
  // Independent exponential weights, divided by their sum, are uniform on the simplex.
  std::vector<double> weights;
  for (std::size_t i = 0; i < loads.size(); ++i) weights.push_back(-std::log1p(-random.uniform()));
  return split_in_proportion(task.units, weights, loads);
}

}  // namespace slime::trainer
