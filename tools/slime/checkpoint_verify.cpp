#include "tools/slime/checkpoint_verify.hpp"

#include "tools/slime/arguments.hpp"
#include "tools/slime/checkpoint_choice.hpp"
#include "tools/slime/checkpoint_verification.hpp"

namespace slime::tools {

namespace {

constexpr std::string_view command = "checkpoint verify";

}  // namespace

ExitCode run_checkpoint_verify(std::span<const std::string> arguments, const Console& console) {
  std::string path;
  std::string which;
  bool json = false;
  CLI::App parser(
      "Reads every block of a job's checkpoints and every file of their stores, or of one "
      "checkpoint, and tells for each that it is whole or which file, part and block is not. "
      "Changes nothing. Ends with 0 only when all is whole, and with 9 when anything is damaged.");
  parser.add_option("path", path, "the job's checkpoint.directory, or the job file that names it")
      ->type_name("DIRECTORY|JOB.toml")
      ->required();
  parser.add_option("checkpoint", which, "only this one: an iteration, newest, or best")
      ->type_name("ITERATION|newest|best");
  parser.add_flag("--json", json, "one JSON object");
  if (const auto over = parse(parser, command, arguments, console)) return *over;

  const auto directory = checkpoint_directory(path, console.environment);
  if (!directory) return report(console, command, directory.error(), json);
  const auto found = which.empty() ? verify_all(*directory) : verify_one(*directory, which);
  if (!found) return report(console, command, found.error(), json);
  console.out << (json ? verification_json(*found) + "\n" : verification_text(*found));
  return found->code();
}

}  // namespace slime::tools
