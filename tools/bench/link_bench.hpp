#pragma once

#include "tools/bench/benchmark.hpp"

namespace slime::bench {

/// Measures our link between two processes over TCP and Unix sockets, beside a raw socket, a bare
/// KJ stream and CAF's BASP, repetitions interleaved. Prints min, median and max; ratios are of
/// medians, above 1 where ours is better.
int run_link(const Options& options);

}  // namespace slime::bench
