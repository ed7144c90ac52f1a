#include "tools/slime/simulate.hpp"

#include <string_view>
#include <vector>

#include "tools/slime/arguments.hpp"
#include "tools/slime/known_names.hpp"
#include "tools/slime/simulation/run_table.hpp"
#include "tools/slime/simulation/scenario.hpp"
#include "tools/slime/simulation/simulated_run.hpp"

namespace slime::tools {

ExitCode run_simulate(std::span<const std::string> arguments, const Console& console) {
  constexpr std::string_view command = "simulate";
  std::string file;
  std::vector<std::string> sets;
  bool json = false;
  CLI::App parser(
      "Runs the actors of a training job in virtual time, once for each mode and policy that the "
      "scenario names. tools/scenarios/ has examples; their README explains the columns.");
  parser.add_option("scenario", file, "scenario file")->type_name("SCENARIO.toml")->required();
  parser.add_option("--set", sets, "override a setting: iterations=50, compute.noise=0.2")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  parser.add_flag("--json", json, "one JSON object for each run");
  if (const auto over = parse(parser, command, arguments, console)) return *over;

  const auto scenario = load_scenario(file, sets, known_names());
  if (!scenario) return report(console, command, scenario.error(), json);
  return scenario->read([&](schema::Scenario::Reader read) {
    if (!json) console.out << run_heading();
    for (const auto run : read.getRuns()) {
      const auto result = simulate(read, run);
      if (!result) return report(console, command, result.error(), json);
      console.out << (json ? run_json(read.getName().cStr(), *result) + "\n" : run_row(*result))
                  << std::flush;
    }
    return ExitCode::ok;
  });
}

}  // namespace slime::tools
