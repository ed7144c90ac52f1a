#include "trainer/data/work_plan.hpp"

#include <set>

namespace slime::trainer {

std::string WorkPlan::describe(std::uint64_t iteration,
                               std::span<const std::uint32_t> blocks) const {
  std::string ranges;
  const std::set<std::uint64_t> sorted(blocks.begin(), blocks.end());
  for (auto at = sorted.begin(); at != sorted.end();) {
    const std::uint64_t first = *at * block;
    std::uint64_t end = *at;
    while (at != sorted.end() && *at == end) ++at, ++end;
    // A block that the iteration does not have is shown as if it were whole.
    const std::uint64_t whole = samples_in(iteration);
    const std::uint64_t last = first < whole ? std::min(end * block, whole) : end * block;
    ranges += (ranges.empty() ? "" : " and ") + std::to_string(position_of(iteration) + first) +
              " to " + std::to_string(position_of(iteration) + last - 1);
  }
  return "iteration " + std::to_string(iteration) + ", samples " +
         (ranges.empty() ? "none" : ranges) + " of epoch " +
         std::to_string(epoch_of(iteration) + 1);
}

}  // namespace slime::trainer
