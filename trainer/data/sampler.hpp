#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/error.hpp"

namespace slime::trainer {

/// Which samples belong to which iteration. Each epoch has one permutation, drawn from (seed,
/// epoch); iterations are numbered through the job, each takes the next `batch` positions of its
/// epoch, the last one what is left, and is cut into blocks of `block` positions, the last one
/// shorter. So the answer depends on the settings alone, never on who asks, when, or in what order,
/// and every epoch uses every sample exactly once. Not thread-safe.
class Sampler {
 public:
  struct Settings {
    std::uint32_t samples = 0;  ///< In the training set.
    std::uint32_t batch = 0;    ///< Samples per iteration, over all workers.
    std::uint32_t block = 0;
    std::uint64_t seed = 0;
  };
  /// Errors: invalid_argument (a size is 0).
  static Result<Sampler> make(const Settings& settings);

  std::uint64_t iterations_per_epoch() const;
  /// The epoch that `iteration` belongs to.
  std::uint64_t epoch_of(std::uint64_t iteration) const;
  /// Samples of the job that all iterations before this one use together.
  std::uint64_t samples_before(std::uint64_t iteration) const;
  std::uint32_t samples_in(std::uint64_t iteration) const;
  std::uint32_t blocks_in(std::uint64_t iteration) const;

  /// The samples of `count` adjacent blocks, in order. Precondition: the blocks exist. Valid until
  /// samples of a third epoch are asked for, because permutations of two are kept; drawing one
  /// takes about 10 ns per sample.
  std::span<const std::uint32_t> samples_of(std::uint64_t iteration, std::uint32_t block,
                                            std::uint32_t count = 1);

 private:
  struct Permutation {
    std::uint64_t epoch = 0;
    std::vector<std::uint32_t> samples;  ///< Empty: not drawn.
  };

  explicit Sampler(const Settings& settings) : settings_(settings) {}
  /// Position of the iteration's first sample within its epoch.
  std::uint32_t position_of(std::uint64_t iteration) const;
  const Permutation& permutation(std::uint64_t epoch);

  Settings settings_;
  std::array<Permutation, 2> permutations_;  ///< The one used last comes first.
};

}  // namespace slime::trainer
