#include "tools/slime/chaos_options.hpp"

#include <fmt/format.h>

#include <limits>
#include <thread>

#include "tools/slime/chaos/fault_kinds.hpp"
#include "tools/slime/chaos/fault_targets.hpp"
#include "tools/slime/chaos/simulated/planted_bugs.hpp"
#include "tools/slime/chaos/simulated/simulated_faults.hpp"

namespace slime::tools {

namespace {

template <class Entry>
std::string listed(std::span<const Entry> table) {
  std::string text;
  for (const Entry& entry : table)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", entry.name, entry.doc);
  return text;
}

/// What only one of the two kinds of run has.
std::vector<CLI::Option*> describe_real(CLI::App& parser, ChaosOptions& options) {
  std::vector<CLI::Option*> all;
  all.push_back(parser
                    .add_option("--seed", options.seed,
                                "draws the plan; without it, one is drawn and printed")
                    ->type_name("N"));
  all.push_back(parser.add_option("--targets", options.targets, listed(fault_targets()))
                    ->type_name("NAME,...")
                    ->delimiter(',')
                    ->allow_extra_args(false)
                    ->capture_default_str());
  all.push_back(parser.add_option("--count", options.count, "faults in all")
                    ->type_name("N")
                    ->check(CLI::Range(1, 100000).description(""))
                    ->capture_default_str());
  all.push_back(
      parser
          .add_option("--pace", options.pace_s,
                      "seconds of undisturbed training for each fault, at least: the workers of a "
                      "quicker job wait, by emulate.sample_us, which changes no parameters in bsp")
          ->type_name("SECONDS")
          ->check(CLI::Range(0.1, 3600.0).description(""))
          ->capture_default_str());
  all.push_back(parser
                    .add_option("--stuck-after", options.stuck_s,
                                "seconds without a word until the job hangs")
                    ->type_name("SECONDS")
                    ->check(CLI::Range(1.0, 86400.0).description(""))
                    ->capture_default_str());
  all.push_back(
      parser
          .add_option("--expect", options.expect,
                      "parameters_sha256 of an undisturbed run, in place of running one first")
          ->type_name("SHA256"));
  all.push_back(
      parser
          .add_option("--directory", options.directory,
                      "empty folder that keeps the checkpoints, records and logs; by default they "
                      "stay only where an invariant is violated")
          ->type_name("DIR"));
  all.push_back(parser.add_flag("--dry-run", options.dry_run, "print the plan and do nothing"));
  return all;
}

void describe_simulated(CLI::App& parser, ChaosOptions& options, CLI::Option* simulate) {
  parser.add_option("--first", options.first, "the first seed, with --simulate")
      ->type_name("N")
      ->needs(simulate)
      ->capture_default_str();
  parser.add_option("--seeds", options.seeds, "seeds in all, with --simulate")
      ->type_name("N")
      ->needs(simulate)
      ->check(CLI::Range(1, 1'000'000'000).description(""))
      ->capture_default_str();
  options.processes = std::max(1U, std::thread::hardware_concurrency());
  parser
      .add_option("--jobs", options.processes,
                  "processes that share the seeds, with --simulate; 0: this one")
      ->type_name("N")
      ->needs(simulate)
      ->check(CLI::Range(0, 1024).description(""))
      ->capture_default_str();
  parser
      .add_option("--plant", options.plant,
                  "have a bug, to see that it is found, with --simulate: " + listed(planted_bugs()))
      ->type_name("NAME")
      ->needs(simulate);
}

}  // namespace

void describe(CLI::App& parser, ChaosOptions& options) {
  auto* job = parser.add_option("job", options.job, "job file")->type_name("JOB.toml");
  parser.add_option("--set", options.sets, "override a setting: sync.mode=bsp, workers=4")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->needs(job);
  parser
      .add_option("--faults", options.faults,
                  listed(fault_kinds()) + ". By default kill. With --simulate, by default all of " +
                      listed(simulated_faults()))
      ->type_name("NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  parser.add_flag("--json", options.json, "JSON objects, one a line");
  const auto real = describe_real(parser, options);
  auto* simulate = parser.add_flag("--simulate", options.simulate,
                                   "run small jobs in virtual time, each with the faults of its "
                                   "seed; where a JOB.toml is given, "
                                   "with its mode, policy, reduction, workers and shards");
  for (CLI::Option* option : real) simulate->excludes(option);
  describe_simulated(parser, options, simulate);
}

}  // namespace slime::tools
