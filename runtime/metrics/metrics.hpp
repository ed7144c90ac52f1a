#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/cluster/node_stats.hpp"

namespace slime::runtime {

enum class MetricKind : std::uint8_t {
  counter,  ///< Since the node's start; never falls.
  gauge,    ///< At the moment.
};

/// One number that a node tells to whoever watches it. A new one is a field of `NodeStats` and a
/// line in metrics.cpp.
struct Metric {
  /// Begins with "slime_" and ends, as Prometheus has it, with the unit; "_total" after a
  /// counter's.
  std::string_view name;
  MetricKind kind;
  std::string_view unit;  ///< What is counted, in the plural: "bytes", "messages".
  std::string_view help;  ///< One sentence.
  std::uint64_t (*value)(const NodeStats& stats);
};

/// Every metric, in the order in which they are told.
std::span<const Metric> metrics();

}  // namespace slime::runtime
