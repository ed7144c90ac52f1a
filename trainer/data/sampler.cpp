#include "trainer/data/sampler.hpp"

#include <cassert>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "runtime/base/random.hpp"

namespace slime::trainer {

namespace {

/// Tells the generators of permutations from the other users of the job's seed.
constexpr std::uint64_t permutation_stream = 0x7065726d;  // "perm"
constexpr std::uint64_t samples_max = std::numeric_limits<std::uint32_t>::max();

}  // namespace

Result<Sampler> Sampler::make(const WorkPlan& plan, std::uint64_t seed) {
  if (plan.samples == 0 || plan.samples > samples_max || plan.batch == 0 || plan.block == 0)
    return Error{Errc::invalid_argument,
                 "cutting an epoch into iterations: samples " + std::to_string(plan.samples) +
                     ", batch " + std::to_string(plan.batch) + " and block " +
                     std::to_string(plan.block) + " must all be positive, and samples at most " +
                     std::to_string(samples_max)};
  return Sampler(plan, seed);
}

std::span<const std::uint32_t> Sampler::samples_of(std::uint64_t iteration, std::uint32_t block,
                                                   std::uint32_t count) {
  assert(count > 0 && block + std::uint64_t{count} <= plan_.blocks_in(iteration));
  const std::uint64_t first = plan_.position_of(iteration) + std::uint64_t{block} * plan_.block;
  const std::uint32_t last = block + count - 1;
  const std::size_t size = (last - block) * plan_.block + plan_.samples_in_block(iteration, last);
  return std::span(permutation(plan_.epoch_of(iteration)).samples).subspan(first, size);
}

const Sampler::Permutation& Sampler::permutation(std::uint64_t epoch) {
  const auto holds = [epoch](const Permutation& kept) {
    return kept.epoch == epoch && !kept.samples.empty();
  };
  if (holds(permutations_[0])) return permutations_[0];
  std::swap(permutations_[0], permutations_[1]);
  Permutation& drawn = permutations_[0];
  if (holds(drawn)) return drawn;
  drawn.epoch = epoch;
  drawn.samples.resize(plan_.samples);
  std::iota(drawn.samples.begin(), drawn.samples.end(), 0U);
  Random random(seed_, permutation_stream, epoch);
  // Fisher and Yates, from the end.
  for (std::size_t left = drawn.samples.size(); left > 1; --left)
    std::swap(drawn.samples[left - 1], drawn.samples[random.below(left)]);
  return drawn;
}

}  // namespace slime::trainer
