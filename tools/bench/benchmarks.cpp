#include <array>

#include "tools/bench/balance_bench.hpp"
#include "tools/bench/benchmark.hpp"
#include "tools/bench/checkpoint_bench.hpp"
#include "tools/bench/durable_bench.hpp"
#include "tools/bench/link_bench.hpp"
#include "tools/bench/recovery_bench.hpp"

namespace slime::bench {

std::span<const Benchmark> benchmarks() {
  static constexpr std::array all{
      Benchmark{"link", "messages between two processes, beside bare streams and BASP", run_link},
      Benchmark{"balance", "strategies for unequal workers, on a real cluster", run_balance},
      Benchmark{"checkpoint", "saving and restoring 1 GiB of parameters, beside plain files",
                run_checkpoint},
      Benchmark{"durable", "calls to an actor whose state is kept, beside plain writes with fsync",
                run_durable},
      Benchmark{"recovery", "what a killed worker, shard or head costs a job", run_recovery},
  };
  return all;
}

}  // namespace slime::bench
