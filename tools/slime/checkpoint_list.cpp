#include "tools/slime/checkpoint_list.hpp"

#include <filesystem>
#include <optional>

#include "tools/slime/arguments.hpp"
#include "tools/slime/checkpoint_table.hpp"
#include "tools/slime/settings/job_settings.hpp"

namespace slime::tools {

namespace {

constexpr std::string_view command = "checkpoint list";

/// The stores' folder that `path` is, or that the job file there names.
Result<std::filesystem::path> directory_of(const std::filesystem::path& path,
                                           const Environment& environment) {
  std::error_code failure;
  if (std::filesystem::is_directory(path, failure)) return path;
  if (!std::filesystem::exists(path, failure))
    return Error{Errc::not_found,
                 "listing the checkpoints of " + path.string() + ": there is no such file"};
  const auto settings = read_settings({path, environment, {}});
  if (!settings) return settings.error();
  const std::string directory = settings->job.read([](schema::JobSpec::Reader job) {
    return std::string(job.getCheckpoint().getDirectory().cStr());
  });
  if (directory.empty())
    return Error{Errc::not_found, path.string() + ": the job names no checkpoint.directory"};
  return std::filesystem::path(directory);
}

}  // namespace

ExitCode run_checkpoint_list(std::span<const std::string> arguments, const Console& console) {
  std::string path;
  bool json = false;
  CLI::App parser("Lists a job's checkpoints, reading every byte of each; changes nothing.");
  parser.add_option("path", path, "the job's checkpoint.directory, or the job file that names it")
      ->type_name("DIRECTORY|JOB.toml")
      ->required();
  parser.add_flag("--json", json, "one JSON object");
  if (const auto over = parse(parser, command, arguments, console)) return *over;

  const auto directory = directory_of(path, console.environment);
  if (!directory) return report(console, command, directory.error(), json);
  const auto rows = read_checkpoints(*directory);
  if (!rows) return report(console, command, rows.error(), json);
  console.out << (json ? checkpoints_json(*rows) + "\n" : checkpoints_text(*rows));
  return rows->back().damage ? ExitCode::corrupt : ExitCode::ok;
}

}  // namespace slime::tools
