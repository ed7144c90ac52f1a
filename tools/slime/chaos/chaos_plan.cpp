#include "tools/slime/chaos/chaos_plan.hpp"

#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "runtime/base/random.hpp"
#include "tools/slime/json_text.hpp"

namespace slime::tools {

namespace {

using Pair = std::pair<const FaultKind*, const FaultTarget*>;

constexpr std::uint32_t picks = 1000;
// Longer than a small checkpoint takes, so that its end is hit as well as its beginning.
constexpr Duration saving_delay_max = std::chrono::milliseconds(40);
// Before anybody has noticed what happened before.
constexpr Duration closely = std::chrono::milliseconds(100);
// From much less than the silence after which a node is dead, 3 s, to twice as much.
constexpr Duration hold_min = std::chrono::milliseconds(100);
constexpr Duration hold_max = std::chrono::seconds(6);

Duration drawn_below(Random& random, Duration bound) {
  return std::chrono::microseconds(
      random.below(static_cast<std::uint64_t>(bound / std::chrono::microseconds(1))));
}

std::vector<Pair> deal(Random& random, const ChaosDraw& draw) {
  std::vector<Pair> dealt, deck;
  while (dealt.size() < draw.count) {
    if (deck.empty())
      for (const FaultKind* fault : draw.faults)
        for (const FaultTarget* target : draw.targets) deck.emplace_back(fault, target);
    const auto at = deck.begin() + static_cast<std::ptrdiff_t>(random.below(deck.size()));
    dealt.push_back(*at);
    deck.erase(at);
  }
  return dealt;
}

double milliseconds(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace

std::vector<PlannedFault> draw_plan(const ChaosDraw& draw) {
  assert(!draw.faults.empty() && !draw.targets.empty());
  Random random(draw.seed);
  const double part =
      static_cast<double>(draw.iterations) / static_cast<double>(parts_of_job(draw.count));
  std::vector<PlannedFault> plan;
  for (const auto& [fault, target] : deal(random, draw)) {
    PlannedFault planned{.number = plan.size() + 1, .fault = fault, .target = target};
    planned.pick = static_cast<std::uint32_t>(random.below(picks));
    const double place = static_cast<double>(plan.size()) + random.uniform();
    planned.iteration = 1 + static_cast<std::uint64_t>(part * place);
    const bool follows = random.below(4) == 0 && !plan.empty();
    planned.saving = random.below(2) == 0 && draw.saves && !follows;
    planned.delay = drawn_below(random, planned.saving ? saving_delay_max
                                        : follows      ? closely
                                                       : draw.pace);
    if (follows) planned.iteration = plan.back().iteration;
    const Duration hold = hold_min + drawn_below(random, hold_max - hold_min);
    if (fault->passes) planned.hold = hold;
    plan.push_back(planned);
  }
  return plan;
}

std::string to_string(const PlannedFault& fault) {
  std::string text =
      fmt::format("#{} {} {}, pick {}: iteration {}", fault.number, fault.fault->name,
                  fault.target->name, fault.pick, fault.iteration);
  text += fmt::format("{}, after {:.0f} ms", fault.saving ? ", while saving" : "",
                      milliseconds(fault.delay));
  if (fault.fault->passes) text += fmt::format(", for {:.0f} ms", milliseconds(fault.hold));
  return text;
}

std::string planned_json(const PlannedFault& fault) {
  return JsonObject()
      .number("number", fault.number)
      .text("fault", fault.fault->name)
      .text("target", fault.target->name)
      .number("pick", fault.pick)
      .number("iteration", fault.iteration)
      .boolean("saving", fault.saving)
      .number("delay_ms", milliseconds(fault.delay))
      .number("hold_ms", milliseconds(fault.hold))
      .str();
}

}  // namespace slime::tools
