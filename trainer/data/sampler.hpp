#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/error.hpp"
#include "trainer/data/work_plan.hpp"

namespace slime::trainer {

/// Which samples an iteration has: each epoch has one permutation, drawn from (seed, epoch), and
/// the work plan says which of its positions belong to a block. So the answer depends on the
/// settings alone, never on who asks, when, or in what order, and every epoch uses every sample
/// exactly once. Not thread-safe.
class Sampler {
 public:
  /// Errors: invalid_argument (a size is 0, more samples than 32 bits can name).
  static Result<Sampler> make(const WorkPlan& plan, std::uint64_t seed);

  const WorkPlan& plan() const { return plan_; }

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

  Sampler(const WorkPlan& plan, std::uint64_t seed) : plan_(plan), seed_(seed) {}
  const Permutation& permutation(std::uint64_t epoch);

  WorkPlan plan_;
  std::uint64_t seed_;
  std::array<Permutation, 2> permutations_;  ///< The one used last comes first.
};

}  // namespace slime::trainer
