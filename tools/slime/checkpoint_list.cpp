#include "tools/slime/checkpoint_list.hpp"

#include "tools/slime/arguments.hpp"
#include "tools/slime/checkpoint_choice.hpp"
#include "tools/slime/checkpoint_table.hpp"

namespace slime::tools {

namespace {

constexpr std::string_view command = "checkpoint list";

}  // namespace

ExitCode run_checkpoint_list(std::span<const std::string> arguments, const Console& console) {
  std::string path;
  bool json = false;
  CLI::App parser(
      "Lists a job's checkpoints, reading every byte of each; changes nothing. Of a checkpoint's "
      "MiB, its own were stored with it and the shared ones with older checkpoints. Ends with 9 "
      "when the newest is damaged, whatever the others are; slime checkpoint verify says what of "
      "each, and ends with 9 when any is.");
  parser.add_option("path", path, "the job's checkpoint.directory, or the job file that names it")
      ->type_name("DIRECTORY|JOB.toml")
      ->required();
  parser.add_flag("--json", json, "one JSON object");
  if (const auto over = parse(parser, command, arguments, console)) return *over;

  const auto directory = checkpoint_directory(path, console.environment);
  if (!directory) return report(console, command, directory.error(), json);
  const auto rows = read_checkpoints(*directory);
  if (!rows) return report(console, command, rows.error(), json);
  console.out << (json ? checkpoints_json(*rows) + "\n" : checkpoints_text(*rows));
  return rows->back().damage ? ExitCode::corrupt : ExitCode::ok;
}

}  // namespace slime::tools
