#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/slime/chaos/chaos_outcome.hpp"

namespace slime::tools {

/// The plan and the seed that it was drawn from: a line for each fault.
std::string plan_text(std::uint64_t seed, const std::vector<PlannedFault>& plan);
/// One JSON object in one line: {"plan":{"seed":…,"faults":[…]}}.
std::string plan_json(std::uint64_t seed, const std::vector<PlannedFault>& plan);

/// "12.3 s #3 kill shard: SIGKILL to shard-0 (pid 123) at iteration 120, while saving".
std::string injected_text(const InjectedFault& fault);
/// One JSON object in one line: {"injected":{…}}.
std::string injected_json(const InjectedFault& fault);

/// Whether every invariant holds that applies.
bool all_met(const ChaosOutcome& outcome);
/// A line for each invariant, and one of the run as a whole.
std::string outcome_text(const ChaosOutcome& outcome);
/// One JSON object in one line: {"ok":…,"invariants":[…],…}.
std::string outcome_json(std::uint64_t seed, const ChaosOutcome& outcome);

}  // namespace slime::tools
