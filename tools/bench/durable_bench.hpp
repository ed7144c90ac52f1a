#pragma once

#include "tools/bench/benchmark.hpp"

namespace slime::bench {

/// Measures what a call to a durable actor costs, beside a plain write with fsync: the actor is on
/// one node, its state on the disk of the head, which is another, and one or many callers wait for
/// each answer. Needs little of the disk with the folder for temporary files.
int run_durable(const Options& options);

}  // namespace slime::bench
