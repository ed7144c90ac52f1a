#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trainer/balance/policy.hpp"

namespace slime::tests {

using Shares = std::vector<std::uint32_t>;

/// Well-measured workers 0, 1, … that take `fixed_s` and these seconds for each sample.
inline std::vector<trainer::WorkerLoad> loads_of(const std::vector<double>& sample_s,
                                                 double fixed_s = 0) {
  std::vector<trainer::WorkerLoad> loads;
  for (double seconds : sample_s) {
    trainer::WorkerLoad load;
    load.worker = WorkerId(static_cast<std::uint32_t>(loads.size()));
    load.speed = {fixed_s, seconds, 0.1, 20};
    loads.push_back(load);
  }
  return loads;
}

/// The workers have just computed these shares.
inline void adopt(std::vector<trainer::WorkerLoad>& loads, const Shares& shares) {
  for (std::size_t i = 0; i < loads.size(); ++i) loads[i].units_previous = shares[i];
}

}  // namespace slime::tests
