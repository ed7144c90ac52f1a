#include "actors/training/crew_agreement.hpp"

#include <algorithm>

namespace slime::actors {

void CrewTraits::write(schema::CrewTraits::Builder root) const {
  root.setSamples(samples);
  root.setTestSamples(test_samples);
  root.setInputs(inputs);
  root.setDataHash(data_hash);
  root.setProbeHash(probe_hash);
}

CrewTraits CrewTraits::read(schema::CrewTraits::Reader root) {
  return {.samples = root.getSamples(),
          .test_samples = root.getTestSamples(),
          .inputs = root.getInputs(),
          .data_hash = root.getDataHash(),
          .probe_hash = root.getProbeHash()};
}

std::string_view CrewAgreement::difference(const CrewTraits& settled,
                                           const CrewTraits& other) const {
  if (settled.data_hash != other.data_hash) return "is refused: its data are not the others'";
  if (same_bits_ && settled.probe_hash != other.probe_hash)
    return "is refused: its arithmetic gives other bits than the others'";
  return {};
}

std::size_t CrewAgreement::agreeing_with(const CrewTraits& traits) const {
  return static_cast<std::size_t>(std::ranges::count_if(told_, [&](const auto& other) {
    const auto* others = std::get_if<CrewTraits>(&other.second);
    return others && difference(traits, *others).empty();
  }));
}

std::optional<CrewAgreement::Verdict> CrewAgreement::settle(std::size_t expected) const {
  Verdict best;
  std::size_t most = 0;
  std::size_t failed = 0;
  std::uint32_t first_failed = 0;
  for (const auto& [worker, told] : told_) {
    const auto* traits = std::get_if<CrewTraits>(&told);
    if (!traits) {
      if (failed++ == 0) first_failed = worker;
      continue;
    }
    if (most > 0 && difference(*best.traits, *traits).empty()) continue;
    const std::size_t count = agreeing_with(*traits);
    if (count <= most) continue;
    most = count;
    best = {*traits, worker};
  }
  if (failed > workers_ / 2) return Verdict{std::nullopt, first_failed};
  const bool all = told_.size() >= expected;
  if (most > expected / 2 || (all && most > 0)) return best;
  return std::nullopt;
}

std::string CrewAgreement::objection(std::uint32_t worker, const CrewTraits& settled) const {
  if (const Error* why = failure(worker)) return "cannot take part: " + why->context;
  const auto told = told_.find(worker);
  if (told == told_.end()) return {};
  return std::string(difference(settled, std::get<CrewTraits>(told->second)));
}

const Error* CrewAgreement::failure(std::uint32_t worker) const {
  const auto told = told_.find(worker);
  return told == told_.end() ? nullptr : std::get_if<Error>(&told->second);
}

}  // namespace slime::actors
