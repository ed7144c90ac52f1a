#include "tools/slime/compare.hpp"

#include <utility>
#include <vector>

#include "tools/slime/arguments.hpp"
#include "tools/slime/json_text.hpp"
#include "tools/slime/record/comparison.hpp"
#include "tools/slime/record/run_figures.hpp"
#include "tools/slime/record/story_reader.hpp"

namespace slime::tools {

namespace {

constexpr std::string_view command = "compare";

}  // namespace

ExitCode run_compare(std::span<const std::string> arguments, const Console& console) {
  std::vector<std::string> runs;
  bool json = false;
  CLI::App parser("Lays runs side by side, from their records.");
  parser.add_option("run", runs, "record of a run, as slime train writes it; from two to 60")
      ->type_name("RUN")
      ->required()
      ->expected(2, -1);
  parser.add_flag("--json", json, "one JSON object");
  if (const auto over = parse(parser, command, arguments, console)) return *over;

  if (const Status few = check_runs(runs.size()); !few)
    return report(console, command, few.error(), json);
  std::vector<RunFigures> figures;
  for (const std::string& run : runs) {
    const auto story = read_story(run);
    if (!story) return report(console, command, story.error(), json);
    figures.push_back(figures_of(*story));
  }
  if (!json) {
    console.out << comparison_text(figures);
    return ExitCode::ok;
  }
  std::string list;
  for (const RunFigures& run : figures) list += (list.empty() ? "" : ",") + figures_json(run);
  console.out << JsonObject().boolean("ok", true).raw("runs", "[" + list + "]").str() << '\n';
  return ExitCode::ok;
}

}  // namespace slime::tools
