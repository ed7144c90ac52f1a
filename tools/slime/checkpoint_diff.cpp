#include "tools/slime/checkpoint_diff.hpp"

#include "tools/slime/arguments.hpp"
#include "tools/slime/checkpoint_choice.hpp"
#include "tools/slime/checkpoint_difference.hpp"

namespace slime::tools {

namespace {

constexpr std::string_view command = "checkpoint diff";

}  // namespace

ExitCode run_checkpoint_diff(std::span<const std::string> arguments, const Console& console) {
  std::string a;
  std::string b;
  bool json = false;
  CLI::App parser(
      "Tells for each tensor how its values in checkpoint B differ from those in A: norms, the "
      "norm "
      "of the difference, and the largest change and its place. Optimizer slots are left out. "
      "Changes nothing. Ends with 0 whether they are equal or not; \"equal\" in the JSON tells.");
  constexpr const char* type = "DIRECTORY|JOB.toml[@ITERATION|@newest|@best]";
  parser.add_option("A", a, "one checkpoint; without @ the newest one there")
      ->type_name(type)
      ->required();
  parser.add_option("B", b, "the other one")->type_name(type)->required();
  parser.add_flag("--json", json, "one JSON object");
  if (const auto over = parse(parser, command, arguments, console)) return *over;

  const auto from = choose_checkpoint(a, console.environment);
  if (!from) return report(console, command, from.error(), json);
  const auto to = choose_checkpoint(b, console.environment);
  if (!to) return report(console, command, to.error(), json);
  const auto difference = compare_checkpoints(*from, *to);
  if (!difference) return report(console, command, difference.error(), json);
  console.out << (json ? difference_json(*difference) + "\n" : difference_text(*difference));
  return ExitCode::ok;
}

}  // namespace slime::tools
