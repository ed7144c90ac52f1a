#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "runtime/base/error.hpp"
#include "runtime/base/ids.hpp"

namespace slime {

/// Seeded random numbers whose sequence is the same on every machine and compiler: the engine is
/// the standard's mt19937_64, the distributions are written out here because the standard leaves
/// theirs open. Not thread-safe; each owner has its own, told apart by `stream`.
class Random {
 public:
  /// Generators with equal (seed, stream, substream) give equal sequences.
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0, std::uint64_t substream = 0);

  std::uint64_t next() { return engine_(); }
  /// Uniform in [0, bound). Precondition: bound > 0.
  std::uint64_t below(std::uint64_t bound);
  /// Uniform in [0, 1) with 53 bits.
  double uniform();
  /// Standard normal (Box–Muller, Marsaglia's polar form), one value per call.
  double normal();

  /// The whole state as text, and back. Errors: corruption.
  std::string save() const;
  Status restore(const std::string& state);

 private:
  std::mt19937_64 engine_;
};

/// A node id from the operating system's entropy.
NodeId random_node_id();

}  // namespace slime
