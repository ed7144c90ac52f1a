#pragma once

#include <span>
#include <string>
#include <string_view>

namespace slime::bench {

/// How a benchmark is run.
struct Options {
  bool json = false;   ///< End with one line of JSON.
  bool quick = false;  ///< A few seconds, for tests; the numbers mean little.
  std::string only;    ///< Cases whose name contains this; empty: all.
};

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
