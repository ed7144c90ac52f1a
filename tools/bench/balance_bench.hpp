#pragma once

#include "tools/bench/benchmark.hpp"

namespace slime::bench {

/// Trains one job on a real local cluster under each strategy, on workers of unequal and changing
/// speed, and prints the time to a test accuracy and the time over the ideal one: what we recommend
/// first, then the rivals, PyTorch's DistributedDataParallel among them where it is installed.
int run_balance(const Options& options);

}  // namespace slime::bench
