#include <array>

#include "tools/bench/benchmark.hpp"
#include "tools/bench/link_bench.hpp"

namespace slime::bench {

std::span<const Benchmark> benchmarks() {
  static constexpr std::array all{
      Benchmark{"link", "messages between two processes, beside bare streams and BASP", run_link},
  };
  return all;
}

}  // namespace slime::bench
