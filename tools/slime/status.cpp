#include "tools/slime/status.hpp"

#include <unistd.h>

#include "tools/slime/arguments.hpp"
#include "tools/slime/cluster_status.hpp"
#include "tools/slime/cluster_token.hpp"
#include "tools/slime/session.hpp"

namespace slime::tools {

namespace {

constexpr std::string_view command = "status";

struct Options {
  std::string session;
  std::string address;
  std::string token_file;
  bool json = false;
};

/// Where the head of the session listens. Errors: those of `Session::head`, not_found.
Result<runtime::Endpoint> endpoint_in(const std::string& folder) {
  const auto session = Session::open(folder);
  if (!session) return session.error();
  const auto head = session->head();
  if (!head) return head.error();
  if (head->endpoints.empty())
    return Error{Errc::not_found, "the head recorded in " + folder + " listens nowhere"};
  return runtime::Endpoint{head->endpoints.front()};
}

Result<ClusterStatus> ask(const Options& options) {
  const Result<runtime::Endpoint> head =
      options.address.empty() ? endpoint_in(options.session) : Result(endpoint_of(options.address));
  if (!head) return head.error();
  const auto token = find_token({-1, options.token_file, options.session});
  if (!token) return token.error();
  const auto client =
      ClusterClient::connect(*head, token->text, log_to(STDERR_FILENO, LogLevel::error));
  if (!client) return token->explain(client.error());
  return read_status((*client)->access());
}

}  // namespace

ExitCode run_status(std::span<const std::string> arguments, const Console& console) {
  Options options;
  options.session = Session::default_folder(console.environment, ::geteuid()).string();
  CLI::App parser("Lists a cluster's members, supervised actors and jobs.");
  parser.add_option("--session", options.session, "folder where the cluster recorded itself")
      ->type_name("DIR")
      ->capture_default_str();
  parser.add_option("--address", options.address, "of the head, instead of the session's")
      ->type_name("ADDRESS");
  parser.add_option("--token-file", options.token_file, "holds the secret, instead of the session")
      ->type_name("FILE");
  parser.add_flag("--json", options.json, "one JSON object");
  if (const auto over = parse(parser, command, arguments, console)) return *over;

  const auto status = ask(options);
  if (!status) return report(console, command, status.error(), options.json);
  console.out << (options.json ? status_json(*status) + "\n" : status_text(*status));
  return ExitCode::ok;
}

}  // namespace slime::tools
