#include "tools/slime/simulation/run_table.hpp"

#include <fmt/format.h>

#include "tools/slime/json_text.hpp"

namespace slime::tools {

namespace {

constexpr std::string_view row_format =
    "{:<6} {:<21} {:<5} {:>9} {:>8} {:>6} {:>11} {:>9} {:>12}  {}\n";

double decision_us(const SimulatedRun& run) {
  return run.decisions.count == 0
             ? 0
             : 1e6 * run.decisions.total_s / static_cast<double>(run.decisions.count);
}

std::string reaction_text(const SimulatedRun& run) {
  if (!run.changes) return "-";
  return run.reaction_iterations ? std::to_string(*run.reaction_iterations) : "never";
}

}  // namespace

std::string run_json(std::string_view scenario, const SimulatedRun& run) {
  JsonObject line;
  line.text("schema", "slime.v1")
      .boolean("ok", true)
      .text("scenario", scenario)
      .text("mode", run.mode)
      .text("policy", run.policy)
      .boolean("fast_reassignment", run.fast_reassignment)
      .number("makespan_ratio", run.makespan_ratio())
      .number("seconds", run.seconds)
      .number("oracle_seconds", run.oracle_seconds)
      .number("idle_fraction", run.idle_fraction)
      .number("share_changes", run.share_changes)
      .number("samples_moved", run.samples_moved)
      .number("lead", run.lead);
  if (run.reaction_iterations)
    line.number("reaction_iterations", *run.reaction_iterations);
  else
    line.null("reaction_iterations");
  line.number("deliveries", run.deliveries)
      .text("replay_hash", fmt::format("{:016x}", run.replay_hash))
      .raw("measured", JsonObject()
                           .number("decisions", run.decisions.count)
                           .number("balancer_us_per_decision", decision_us(run))
                           .number("balancer_us_longest", 1e6 * run.decisions.longest_s)
                           .str());
  return line.str();
}

std::string run_heading() {
  return fmt::format(row_format, "mode", "policy", "moves", "makespan", "idle", "lead", "moved",
                     "reaction", "balancer us", "replay hash");
}

std::string run_row(const SimulatedRun& run) {
  return fmt::format(row_format, run.mode, run.policy, run.fast_reassignment ? "fast" : "-",
                     fmt::format("{:.3f}", run.makespan_ratio()),
                     fmt::format("{:.1f} %", 100 * run.idle_fraction), run.lead, run.samples_moved,
                     reaction_text(run), fmt::format("{:.1f}", decision_us(run)),
                     fmt::format("{:016x}", run.replay_hash));
}

}  // namespace slime::tools
