#include "tools/slime/chaos/invariants.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace slime::tools {

namespace {

using Kind = Verdict::Kind;

Verdict judged(bool met, std::string evidence) {
  return {met ? Kind::met : Kind::violated, std::move(evidence)};
}

bool finished(const ChaosOutcome& outcome) {
  return outcome.trace.end() && outcome.trace.end()->finished;
}

Verdict every_fault_injected(const ChaosOutcome& outcome) {
  const std::size_t count = outcome.injected.size();
  if (count == outcome.planned) return judged(true, fmt::format("{} of {}", count, count));
  return judged(false, fmt::format("{} of {}: the job ended first; give it more epochs or a longer "
                                   "--pace, or ask for fewer faults",
                                   count, outcome.planned));
}

Verdict job_finished(const ChaosOutcome& outcome) {
  const auto& end = outcome.trace.end();
  if (outcome.ended_well && finished(outcome))
    return judged(true, fmt::format("{} in {:.1f} s, with {} rollbacks, which did {} iterations "
                                    "again, and {} resumes",
                                    outcome.end, outcome.seconds, outcome.trace.rollbacks(),
                                    outcome.trace.lost_iterations(), outcome.trace.resumes()));
  std::string why = outcome.end;
  if (end && !end->reason.empty()) why += ": " + end->reason;
  if (!end) why += "; its record has no end";
  return judged(false, fmt::format("{}; iteration {} of {} was reached", why,
                                   outcome.trace.reached(), outcome.plan.iterations()));
}

Verdict samples_applied_once(const ChaosOutcome& outcome) {
  const trainer::WorkPlan& plan = outcome.plan;
  // Of a job that did not finish, what it had done by then.
  const std::uint64_t until = finished(outcome) ? plan.iterations() : outcome.trace.frontier();
  const SampleAccount account = outcome.trace.account(until);
  std::string text = fmt::format("by groups, {} of {} iterations hold each of their samples once",
                                 account.exact, until);
  if (account.untold > 0)
    text += fmt::format(", and of {} before a checkpoint a killed command had not told all",
                        account.untold);
  if (account.wrong_count > 0)
    text += fmt::format("; {} do not: {}", account.wrong_count, fmt::join(account.wrong, ", "));
  if (!finished(outcome)) return judged(account.wrong_count == 0, std::move(text));
  const std::uint64_t samples = outcome.trace.end()->samples;
  const std::uint64_t wanted = plan.samples * plan.epochs;
  return judged(samples == wanted && account.wrong_count == 0,
                fmt::format("{} of {} samples at the end; {}", samples, wanted, text));
}

Verdict no_update_lost(const ChaosOutcome& outcome) {
  const auto& broken = outcome.trace.broken_promises();
  if (!broken.empty())
    return judged(false, broken.size() == 1
                             ? broken.front()
                             : fmt::format("{}; and {} more", broken.front(), broken.size() - 1));
  return judged(true, fmt::format("{} rollbacks and {} resumes, each to the newest checkpoint",
                                  outcome.trace.rollbacks(), outcome.trace.resumes()));
}

Verdict checkpoints_load(const ChaosOutcome& outcome) {
  const auto& told = outcome.trace.checkpoints();
  if (!outcome.checkpoints) {
    if (told.empty() && outcome.checkpoints.error().code == Errc::not_found)
      return {Kind::void_here, "the job committed none"};
    return judged(false, outcome.checkpoints.error().context);
  }
  const Verification& found = *outcome.checkpoints;
  const auto damaged = std::ranges::find_if(
      found.checkpoints, [](const auto& checkpoint) { return !checkpoint.damage.empty(); });
  if (damaged != found.checkpoints.end())
    return judged(false, fmt::format("iteration {}: {}", damaged->name.id.iteration,
                                     damaged->damage.front().why.context));
  for (const auto& store : found.stores)
    if (!store.whole())
      return judged(false, fmt::format("store {}: {}", store.name,
                                       store.damage ? store.damage->context
                                                    : store.files.front().why.context));
  const auto newest = std::ranges::find_if(found.checkpoints, [&](const auto& checkpoint) {
    return !told.empty() && checkpoint.name.id.iteration == told.back();
  });
  if (!told.empty() && newest == found.checkpoints.end())
    return judged(false,
                  fmt::format("that of iteration {}, committed last, is not there", told.back()));
  return judged(true, fmt::format("{} were committed; the {} that are kept are whole", told.size(),
                                  found.checkpoints.size()));
}

Verdict parameters_as_undisturbed(const ChaosOutcome& outcome) {
  if (!outcome.expected_sha256)
    return {Kind::void_here, "only promised in bsp with reduction = \"reproducible\""};
  if (!finished(outcome)) return {Kind::void_here, "the job did not finish"};
  const std::string& sha256 = outcome.trace.end()->parameters_sha256;
  if (sha256 == *outcome.expected_sha256) return judged(true, "sha256 " + sha256);
  return judged(false, fmt::format("sha256 {}, undisturbed {}", sha256, *outcome.expected_sha256));
}

Verdict directory_linearizable(const ChaosOutcome& outcome) {
  if (!outcome.directory || outcome.directory->looks() == 0)
    return {Kind::void_here, "the directory is inside the command, where nobody can look"};
  const DirectoryHistory& seen = *outcome.directory;
  if (seen.violation()) return judged(false, *seen.violation());
  return judged(true, fmt::format("in {} looks {} names were seen, which moved on {} times",
                                  seen.looks(), seen.names(), seen.moves()));
}

Verdict no_process_left(const ChaosOutcome& outcome) {
  if (outcome.left.empty()) return judged(true, "all have ended");
  return judged(false, fmt::format("still there: {}", fmt::join(outcome.left, ", ")));
}

}  // namespace

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::met:
      return "met";
    case Kind::violated:
      return "violated";
    case Kind::void_here:
      return "void";
  }
  return "unknown";
}

std::span<const Invariant> invariants() {
  static constexpr std::array all{
      Invariant{"every_fault_injected", "the plan was carried out before the job ended",
                every_fault_injected},
      Invariant{"job_finished", "the job ended well", job_finished},
      Invariant{"samples_applied_once",
                "each epoch holds each sample once, by the number of samples in each iteration",
                samples_applied_once},
      Invariant{"no_update_lost",
                "nothing is done again but what a rollback or a resume says, from the newest "
                "checkpoint",
                no_update_lost},
      Invariant{"checkpoints_load", "every byte of every kept checkpoint is what was written",
                checkpoints_load},
      Invariant{"parameters_as_undisturbed",
                "bsp with reproducible sums ends with the parameters of an undisturbed run",
                parameters_as_undisturbed},
      Invariant{"directory_linearizable",
                "of a cluster with a durable head: no name goes back to a holder that it left",
                directory_linearizable},
      Invariant{"no_process_left", "nothing of the run is left behind", no_process_left},
  };
  return all;
}

}  // namespace slime::tools
