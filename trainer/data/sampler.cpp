#include "trainer/data/sampler.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <string>
#include <utility>

#include "runtime/base/random.hpp"

namespace slime::trainer {

namespace {

/// Tells the generators of permutations from the other users of the job's seed.
constexpr std::uint64_t permutation_stream = 0x7065726d;  // "perm"

}  // namespace

Result<Sampler> Sampler::make(const Settings& settings) {
  if (settings.samples == 0 || settings.batch == 0 || settings.block == 0)
    return Error{Errc::invalid_argument,
                 "cutting an epoch into iterations: samples " + std::to_string(settings.samples) +
                     ", batch " + std::to_string(settings.batch) + " and block " +
                     std::to_string(settings.block) + " must all be positive"};
  return Sampler(settings);
}

std::uint64_t Sampler::iterations_per_epoch() const {
  return settings_.samples / settings_.batch + (settings_.samples % settings_.batch != 0 ? 1 : 0);
}

std::uint64_t Sampler::epoch_of(std::uint64_t iteration) const {
  return iteration / iterations_per_epoch();
}

std::uint64_t Sampler::samples_before(std::uint64_t iteration) const {
  return epoch_of(iteration) * settings_.samples + position_of(iteration);
}

std::uint32_t Sampler::samples_in(std::uint64_t iteration) const {
  return std::min(settings_.batch, settings_.samples - position_of(iteration));
}

std::uint32_t Sampler::blocks_in(std::uint64_t iteration) const {
  const std::uint32_t samples = samples_in(iteration);
  return samples / settings_.block + (samples % settings_.block != 0 ? 1 : 0);
}

std::span<const std::uint32_t> Sampler::samples_of(std::uint64_t iteration, std::uint32_t block,
                                                   std::uint32_t count) {
  const std::uint32_t blocks = blocks_in(iteration);
  assert(count > 0 && block < blocks && count <= blocks - block);
  const std::uint32_t samples = samples_in(iteration);
  const std::uint32_t first = block * settings_.block;
  const std::uint32_t end = block + count == blocks ? samples : first + count * settings_.block;
  return std::span(permutation(epoch_of(iteration)).samples)
      .subspan(position_of(iteration) + first, end - first);
}

std::uint32_t Sampler::position_of(std::uint64_t iteration) const {
  return static_cast<std::uint32_t>(iteration % iterations_per_epoch() * settings_.batch);
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
  drawn.samples.resize(settings_.samples);
  std::iota(drawn.samples.begin(), drawn.samples.end(), 0U);
  Random random(settings_.seed, permutation_stream, epoch);
  // Fisher and Yates, from the end.
  for (std::size_t left = drawn.samples.size(); left > 1; --left)
    std::swap(drawn.samples[left - 1], drawn.samples[random.below(left)]);
  return drawn;
}

}  // namespace slime::trainer
