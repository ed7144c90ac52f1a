#pragma once

#include "tools/bench/benchmark.hpp"

namespace slime::bench {

/// Measures what checkpoints of 1 GiB of parameters with momentum cost: writing and restoring them
/// beside a plain file of as many bytes, one after a tenth of the blocks changed beside a whole
/// one, the training time and the memory that one takes beside what we allow; says of each whether
/// what we promise is met. Needs about 7 GiB of memory, and of the disk with the folder for
/// temporary files, which it looks for before it writes.
int run_checkpoint(const Options& options);

}  // namespace slime::bench
