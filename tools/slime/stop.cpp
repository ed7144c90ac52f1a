#include "tools/slime/stop.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "tools/slime/arguments.hpp"
#include "tools/slime/json_text.hpp"
#include "tools/slime/session.hpp"

namespace slime::tools {

namespace {

constexpr std::string_view command = "stop";

bool has_ended(const StoppedMember& stopped) {
  return stopped.outcome != StopOutcome::running && stopped.outcome != StopOutcome::forbidden;
}

std::string as_json(const std::vector<StoppedMember>& all, bool everything) {
  std::string list;
  for (const StoppedMember& one : all)
    list += (list.empty() ? "" : ",") + JsonObject()
                                            .text("name", one.member.name)
                                            .number("pid", one.member.process.pid)
                                            .text("outcome", to_string(one.outcome))
                                            .str();
  return JsonObject().boolean("ok", everything).raw("processes", "[" + list + "]").str();
}

}  // namespace

ExitCode run_stop(std::span<const std::string> arguments, const Console& console) {
  std::string folder = Session::default_folder(console.environment, ::geteuid()).string();
  double grace_s = 10;
  bool json = false;
  CLI::App parser("Ends every process of the session's cluster on this machine.");
  parser.add_option("--session", folder, "folder where the cluster recorded itself")
      ->type_name("DIR")
      ->capture_default_str();
  parser.add_option("--grace", grace_s, "seconds until what has not ended is killed")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 3600.0));
  parser.add_flag("--json", json, "one JSON object");
  if (const auto over = parse(parser, command, arguments, console)) return *over;

  const auto session = Session::open(folder);
  if (!session) return report(console, command, session.error(), json);
  const auto stopped = session->stop(from_seconds(grace_s), true);
  if (!stopped) return report(console, command, stopped.error(), json);
  const bool everything = std::ranges::all_of(*stopped, has_ended);
  if (json)
    console.out << as_json(*stopped, everything) << '\n';
  else
    for (const StoppedMember& one : *stopped)
      console.out << fmt::format("{} (pid {}): {}\n", one.member.name, one.member.process.pid,
                                 to_string(one.outcome));
  return everything ? ExitCode::ok : ExitCode::partial;
}

}  // namespace slime::tools
