#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace slime::bench {

/// How a benchmark is run.
struct Options {
  bool json = false;            ///< End with one line of JSON.
  bool quick = false;           ///< A few seconds, for tests; the numbers mean little.
  std::string only;             ///< Cases whose name contains this; empty: all.
  std::size_t repetitions = 0;  ///< Of each measurement; 0: as many as the benchmark needs.
};

/// How often to measure: what the options say, once if quick, or `usual`.
inline std::size_t repetitions(const Options& options, std::size_t usual) {
  if (options.repetitions > 0) return options.repetitions;
  return options.quick ? 1 : usual;
}

/// One benchmark of the program. To add one: write its file pair and add a line to benchmarks.cpp.
struct Benchmark {
  std::string_view name;
  std::string_view summary;
  /// @returns the process exit code: 0 done, 1 it failed.
  int (*run)(const Options& options);
};

/// All of them, in the order of `slime-bench --help`.
std::span<const Benchmark> benchmarks();

}  // namespace slime::bench
