#include "tools/slime/checkpoint_show.hpp"

#include "tools/slime/arguments.hpp"
#include "tools/slime/checkpoint_choice.hpp"
#include "tools/slime/checkpoint_details.hpp"

namespace slime::tools {

namespace {

constexpr std::string_view command = "checkpoint show";

}  // namespace

ExitCode run_checkpoint_show(std::span<const std::string> arguments, const Console& console) {
  std::string path;
  std::string which = "newest";
  bool json = false;
  CLI::App parser(
      "Tells what one checkpoint holds: how far the job was, each tensor, the optimizer's slots, "
      "and each part with the bytes that were stored with it (own) and with older checkpoints "
      "(shared). Reads no parameters and changes nothing.");
  parser.add_option("path", path, "the job's checkpoint.directory, or the job file that names it")
      ->type_name("DIRECTORY|JOB.toml")
      ->required();
  parser
      .add_option("checkpoint", which,
                  "which one: an iteration, newest, or best, that of the highest accuracy")
      ->type_name("ITERATION|newest|best")
      ->capture_default_str();
  parser.add_flag("--json", json, "one JSON object");
  if (const auto over = parse(parser, command, arguments, console)) return *over;

  const auto directory = checkpoint_directory(path, console.environment);
  if (!directory) return report(console, command, directory.error(), json);
  const auto choice = choose_checkpoint(*directory, which);
  if (!choice) return report(console, command, choice.error(), json);
  const auto details = read_details(*choice);
  if (!details) return report(console, command, details.error(), json);
  console.out << (json ? details_json(*details) + "\n" : details_text(*details));
  return details->readable() ? ExitCode::ok : ExitCode::corrupt;
}

}  // namespace slime::tools
