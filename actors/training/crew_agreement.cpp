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

bool CrewAgreement::agree(const Told& a, const Told& b) const {
  const auto* left = std::get_if<CrewTraits>(&a);
  const auto* right = std::get_if<CrewTraits>(&b);
  if (!left || !right) return left == right;
  return difference(*left, *right).empty();
}

std::size_t CrewAgreement::agreeing_with(const Told& told) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(told_, [&](const auto& other) { return agree(told, other.second); }));
}

bool CrewAgreement::clear() const {
  return told_.size() == workers_ || std::ranges::any_of(told_, [this](const auto& one) {
           return agreeing_with(one.second) > workers_ / 2;
         });
}

std::optional<CrewAgreement::Verdict> CrewAgreement::settle() const {
  const Told* best = nullptr;
  std::size_t most = 0;
  Verdict verdict;
  for (const bool described : {true, false})
    for (const auto& [worker, told] : told_) {
      const std::size_t count = agreeing_with(told);
      if (std::holds_alternative<CrewTraits>(told) != described || count <= most) continue;
      most = count;
      best = &told;
      verdict.speaker = worker;
    }
  if (!best) return std::nullopt;
  if (const auto* traits = std::get_if<CrewTraits>(best)) verdict.traits = *traits;
  return verdict;
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
