#include "tools/slime/simulation/capacity.hpp"

#include <algorithm>

namespace slime::tools {

namespace {

constexpr std::size_t window = 10;  // Iterations; fewer are ruled by their noise.

}  // namespace

Capacity::Capacity(const trainer::EmulationSpec& emulation,
                   std::span<const trainer::Lifetime> lives)
    : sample_s_(emulation.sample_us * 1e-6) {
  for (const trainer::Lifetime& life : lives)
    machines_.push_back({life, trainer::SpeedProfile(emulation, life.worker)});
}

double Capacity::samples(double from_s, double to_s) const {
  double work = 0;
  for (const Machine& machine : machines_) {
    const double from = std::max(from_s, machine.life.join_s);
    const double to = std::min(to_s, machine.life.death_s);
    if (from < to) work += machine.profile.work(from, to);
  }
  return work / sample_s_;
}

double Capacity::presence_s(double until_s) const {
  double sum = 0;
  for (const Machine& machine : machines_)
    sum += std::max(0.0, std::min(until_s, machine.life.death_s) - machine.life.join_s);
  return sum;
}

std::optional<std::uint32_t> Capacity::reaction(std::span<const double> finished_s,
                                                std::uint32_t batch, double at_s,
                                                double settled) const {
  const auto first = std::ranges::upper_bound(finished_s, at_s);
  const auto changed = static_cast<std::size_t>(first - finished_s.begin());
  for (std::size_t i = changed; i + window < finished_s.size(); ++i)
    if (samples(finished_s[i], finished_s[i + window]) <=
        settled * static_cast<double>(window) * batch)
      return static_cast<std::uint32_t>(i - changed + 1);
  return std::nullopt;
}

}  // namespace slime::tools
