#include "tools/slime/chaos/chaos_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tools/slime/chaos/invariants.hpp"
#include "tools/slime/console.hpp"
#include "tools/slime/json_text.hpp"

namespace slime::tools {

namespace {

std::size_t hits_while_saving(const ChaosOutcome& outcome) {
  return static_cast<std::size_t>(
      std::ranges::count_if(outcome.injected, &InjectedFault::while_saving));
}

double faults_per_minute(const ChaosOutcome& outcome) {
  if (outcome.injected.empty()) return 0;
  const double seconds = outcome.injected.back().at_s;
  return seconds > 0 ? static_cast<double>(outcome.injected.size()) * 60 / seconds : 0;
}

}  // namespace

std::string plan_text(std::uint64_t seed, const std::vector<PlannedFault>& plan) {
  std::string text = fmt::format("plan of {} faults, seed {}\n", plan.size(), seed);
  for (const PlannedFault& fault : plan) text += "  " + to_string(fault) + "\n";
  return text;
}

std::string plan_json(std::uint64_t seed, const std::vector<PlannedFault>& plan) {
  std::string faults;
  for (const PlannedFault& fault : plan)
    faults += (faults.empty() ? "" : ",") + planned_json(fault);
  return JsonObject()
      .raw("plan", JsonObject().number("seed", seed).raw("faults", "[" + faults + "]").str())
      .str();
}

std::string injected_text(const InjectedFault& fault) {
  std::string text =
      fmt::format("{:.1f} s #{} {} {}: {} at iteration {}", fault.at_s, fault.planned.number,
                  fault.planned.fault->name, fault.planned.target->name, fault.done, fault.reached);
  if (fault.while_saving) text += ", while saving";
  if (fault.held_back_s >= 0.1) text += fmt::format(", {:.1f} s held back", fault.held_back_s);
  return one_line(text);
}

std::string injected_json(const InjectedFault& fault) {
  return JsonObject()
      .raw("injected", JsonObject()
                           .number("number", fault.planned.number)
                           .text("fault", fault.planned.fault->name)
                           .text("target", fault.planned.target->name)
                           .number("at_seconds", fault.at_s)
                           .number("held_back_seconds", fault.held_back_s)
                           .number("iteration", fault.reached)
                           .boolean("while_saving", fault.while_saving)
                           .text("done", fault.done)
                           .str())
      .str();
}

bool all_met(const ChaosOutcome& outcome) {
  return std::ranges::none_of(invariants(), [&outcome](const Invariant& invariant) {
    return invariant.check(outcome).kind == Verdict::Kind::violated;
  });
}

std::string outcome_text(const ChaosOutcome& outcome) {
  std::string text = fmt::format(
      "{} faults in {:.1f} s, {:.1f} a minute, {} of them while a checkpoint was written; held "
      "back "
      "for {:.1f} s in all\n",
      outcome.injected.size(), outcome.seconds, faults_per_minute(outcome),
      hits_while_saving(outcome), outcome.held_back_s);
  for (const Invariant& invariant : invariants()) {
    const Verdict verdict = invariant.check(outcome);
    text += one_line(fmt::format("{:<9} {}: {}", to_string(verdict.kind), invariant.name,
                                 verdict.evidence)) +
            "\n";
  }
  return text;
}

std::string outcome_json(std::uint64_t seed, const ChaosOutcome& outcome) {
  std::string verdicts;
  for (const Invariant& invariant : invariants()) {
    const Verdict verdict = invariant.check(outcome);
    verdicts += (verdicts.empty() ? "" : ",") + JsonObject()
                                                    .text("invariant", invariant.name)
                                                    .text("verdict", to_string(verdict.kind))
                                                    .text("evidence", verdict.evidence)
                                                    .str();
  }
  return JsonObject()
      .boolean("ok", all_met(outcome))
      .number("seed", seed)
      .number("planned", outcome.planned)
      .number("injected", outcome.injected.size())
      .number("while_saving", hits_while_saving(outcome))
      .number("faults_per_minute", faults_per_minute(outcome))
      .number("held_back_seconds", outcome.held_back_s)
      .number("seconds", outcome.seconds)
      .number("rollbacks", outcome.trace.rollbacks())
      .number("lost_iterations", outcome.trace.lost_iterations())
      .number("resumes", outcome.trace.resumes())
      .raw("invariants", "[" + verdicts + "]")
      .str();
}

}  // namespace slime::tools
