#include "tools/slime/config_show.hpp"

#include <optional>
#include <string_view>
#include <vector>

#include "tools/slime/arguments.hpp"
#include "tools/slime/known_names.hpp"
#include "tools/slime/settings/job_settings.hpp"
#include "tools/slime/settings/show.hpp"

namespace slime::tools {

ExitCode run_config_show(std::span<const std::string> arguments, const Console& console) {
  constexpr std::string_view command = "config show";
  std::string file;
  std::vector<std::string> sets;
  bool with_origin = false;
  bool json = false;
  CLI::App parser("Lists every setting of a job, with its value and meaning, as a job file.");
  parser.add_option("job", file, "job file; without one, the defaults are listed")
      ->type_name("JOB.toml");
  parser.add_option("--set", sets, "override a setting: sync.mode=bsp, workers=4")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  parser.add_flag("--origin", with_origin,
                  "say where each value came from: flag, environment, file and line, or default");
  parser.add_flag("--json", json, "one JSON object instead of TOML; includes the origins");
  if (const auto over = parse(parser, command, arguments, console)) return *over;

  SettingSources sources{std::nullopt, console.environment, sets};
  if (!file.empty()) sources.file = file;
  const auto settings = read_settings(sources);
  if (!settings) return report(console, command, settings.error(), json);
  console.out << (json ? show_json(*settings) + "\n" : show_toml(*settings, with_origin));
  if (!sources.file) return ExitCode::ok;
  // Checked after printing, because the origins are what an operator needs to mend the job, and
  // told on standard error alone: the one JSON object is out already.
  const Status sound = settings->job.read([&](schema::JobSpec::Reader job) {
    return check_job(job, known_names(), settings->origins);
  });
  return sound ? ExitCode::ok : report(console, command, sound.error(), false);
}

}  // namespace slime::tools
