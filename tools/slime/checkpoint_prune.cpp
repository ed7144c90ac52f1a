#include "tools/slime/checkpoint_prune.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "tools/slime/arguments.hpp"
#include "tools/slime/checkpoint_choice.hpp"
#include "tools/slime/json_text.hpp"

namespace slime::tools {

namespace {

constexpr std::string_view command = "checkpoint prune";

std::vector<std::string> reasons(const storage::KeptBecause& because) {
  std::vector<std::string> words;
  if (because.newest) words.emplace_back("newest");
  if (because.best) words.emplace_back("best");
  if (because.every) words.emplace_back("every");
  if (because.pinned) words.emplace_back("pinned");
  return words;
}

}  // namespace

std::string pruning_text(const storage::PruningPlan& plan, bool removed) {
  std::string text =
      fmt::format("{:>9} {:>4} {:>8}  {}\n", "iteration", "term", "accuracy", "fate");
  for (const auto& [checkpoint, candidate, because] : plan.entries) {
    const std::string accuracy =
        std::isfinite(candidate.accuracy) ? fmt::format("{:.4f}", candidate.accuracy) : "-";
    const std::string fate = because.any()
                                 ? fmt::format("kept: {}", fmt::join(reasons(because), ", "))
                                 : (removed ? "removed" : "would be removed");
    text += fmt::format("{:>9} {:>4} {:>8}  {}{}\n", candidate.id.iteration, candidate.id.term,
                        accuracy, fate, candidate.damaged ? ", damaged" : "");
  }
  return text;
}

std::string pruning_json(const storage::PruningPlan& plan, bool removed) {
  std::string kept, gone;
  for (const auto& [checkpoint, candidate, because] : plan.entries) {
    JsonObject object;
    object.number("iteration", candidate.id.iteration)
        .number("term", candidate.id.term)
        .text("store", checkpoint.head)
        .number("accuracy", candidate.accuracy)
        .boolean("damaged", candidate.damaged);
    std::string list;
    for (const std::string& word : reasons(because))
      list += (list.empty() ? "" : ",") + json_quote(word);
    if (because.any()) object.raw("because", "[" + list + "]");
    std::string& to = because.any() ? kept : gone;
    to += (to.empty() ? "" : ",") + object.str();
  }
  return JsonObject()
      .boolean("ok", true)
      .boolean("dry_run", !removed)
      .raw("kept", "[" + kept + "]")
      .raw("removed", "[" + gone + "]")
      .str();
}

ExitCode run_checkpoint_prune(std::span<const std::string> arguments, const Console& console) {
  std::string path;
  storage::RetentionRules rules{.newest = 0};
  bool dry_run = false, json = false;
  CLI::App parser(
      "Removes the checkpoints that no rule wants, of a job that does not run. The rules are "
      "independent, and go over all checkpoints of the directory, whichever run they are of; the "
      "newest whole one and pinned ones always stay.");
  parser.add_option("path", path, "the job's checkpoint.directory, or the job file that names it")
      ->type_name("DIRECTORY|JOB.toml")
      ->required();
  // CLI11 reads "-1" as a very large number.
  const CLI::Range count(0.0, 1e15);
  parser.add_option("--keep", rules.newest, "so many of the newest")
      ->type_name("COUNT")
      ->check(count);
  parser
      .add_option("--keep-best", rules.best,
                  "so many of the highest test accuracy; of equals the newer")
      ->type_name("COUNT")
      ->check(count);
  parser
      .add_option("--keep-every", rules.every,
                  "the first at or after each multiple of so many iterations")
      ->type_name("ITERATIONS")
      ->check(count);
  parser.add_flag("--dry-run", dry_run, "only tell which would be removed; the job may be running");
  parser.add_flag("--json", json, "one JSON object");
  if (const auto over = parse(parser, command, arguments, console)) return *over;

  const auto failed = [&](const Error& error) { return report(console, command, error, json); };
  if (rules.newest == 0 && rules.best == 0 && rules.every == 0)
    return failed({Errc::invalid_argument,
                   "say what to keep: --keep COUNT, --keep-best COUNT or --keep-every ITERATIONS"});
  const auto directory = checkpoint_directory(path, console.environment);
  if (!directory) return failed(directory.error());
  const auto plan =
      dry_run ? storage::plan_pruning(*directory, rules) : storage::prune_stores(*directory, rules);
  if (!plan) return failed(plan.error());
  console.out << (json ? pruning_json(*plan, !dry_run) + "\n" : pruning_text(*plan, !dry_run));
  return ExitCode::ok;
}

}  // namespace slime::tools
