#include <algorithm>
#include <cmath>
#include <limits>

#include "trainer/sync/work_ledger.hpp"

namespace slime::trainer {

namespace {

constexpr double noise_deviations = 3;
// However much its times scatter, one that stands still is found out.
constexpr double overdue_factor_max = 30;

}  // namespace

std::size_t WorkLedger::held_by(WorkerId worker, const Flight& in) const {
  // It asks for more when it begins what it was granted last; what came before that is computed.
  Instant last{};
  std::size_t count = 0;
  for (const Holding& holding : hands_.at(worker).holdings) {
    if (holding.iteration < frontier_ || &flights_[holding.iteration - frontier_] != &in) continue;
    for (const std::uint32_t index : holding.unsealed) {
      const Block& block = in.blocks[index];
      if (block.state != State::held) continue;  // Another one has sealed it.
      if (block.granted > last) count = 0;
      if (block.granted >= last) ++count, last = block.granted;
    }
  }
  return count;
}

std::vector<std::uint32_t> WorkLedger::take_over(WorkerId worker, Flight& in, Instant now) {
  if (!rules_.reassign || in.parts.empty()) return {};
  const double own = rules_.pace(worker).block_s;
  if (own <= 0) return {};
  auto slowest = in.parts.end();
  double latest = 0;  // Of nobody.
  for (auto part = in.parts.begin(); part != in.parts.end(); ++part) {
    if (part->first == worker) continue;
    if (rules_.may_help && !rules_.may_help(worker, part->first)) continue;
    const auto left = static_cast<double>(part->second.size() + held_by(part->first, in));
    const double finish = is_late(part->first, now) ? std::numeric_limits<double>::infinity()
                                                    : left * rules_.pace(part->first).block_s;
    if (finish > latest) {
      latest = finish;
      slowest = part;
    }
  }
  if (own * static_cast<double>(held_by(worker, in) + 1) >= latest) return {};
  // Of one who is late half of what is left, for its own estimate says nothing.
  const std::size_t left = slowest->second.size();
  std::size_t count = std::isinf(latest) ? std::min(lease_blocks_max, (left + 1) / 2) : 1;
  std::vector<std::uint32_t> blocks;
  for (; count > 0; --count) {
    blocks.push_back(slowest->second.back());
    slowest->second.pop_back();
  }
  if (slowest->second.empty()) in.parts.erase(slowest);
  return blocks;
}

double WorkLedger::expected_s(WorkerId holder, std::uint64_t iteration) const {
  std::size_t blocks = 0;
  for (const Holding& holding : hands_.at(holder).holdings) {
    // What another one sealed first is computed all the same.
    blocks += holding.unsealed.size();
    if (holding.iteration == iteration) break;
  }
  const WorkerPace pace = rules_.pace(holder);
  return pace.block_s > 0 ? pace.fetch_s + pace.block_s * static_cast<double>(blocks) : 0;
}

double WorkLedger::overdue_factor(WorkerId holder) const {
  if (!rules_.overdue_by_noise) return rules_.overdue_factor;
  const double usual = std::exp(noise_deviations * rules_.pace(holder).noise);
  return std::max(rules_.overdue_factor, std::min(usual, overdue_factor_max));
}

bool WorkLedger::is_overdue(WorkerId holder, std::uint64_t iteration, Instant granted,
                            Instant now) const {
  const double expected = expected_s(holder, iteration);
  return expected > 0 && to_seconds(now - granted) > overdue_factor(holder) * expected;
}

bool WorkLedger::is_late(WorkerId worker, Instant now) const {
  return rules_.reassign &&
         std::ranges::any_of(hands_.at(worker).holdings, [&](const Holding& holding) {
           return is_overdue(worker, holding.iteration, holding.granted, now);
         });
}

std::optional<std::uint32_t> WorkLedger::take_overdue(WorkerId worker, std::uint64_t iteration,
                                                      Instant now) {
  if (!rules_.reassign || rules_.pace(worker).block_s <= 0) return std::nullopt;
  const Flight& in = flight(iteration);
  for (std::uint32_t index = 0; index < in.blocks.size(); ++index) {
    const Block& block = in.blocks[index];
    if (block.state != State::held || block.second || block.holder == worker) continue;
    if (is_overdue(*block.holder, iteration, block.granted, now)) return index;
  }
  return std::nullopt;
}

}  // namespace slime::trainer
