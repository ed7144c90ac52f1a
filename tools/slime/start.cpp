#include "tools/slime/start.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <csignal>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "actors/system/cluster_node.hpp"
#include "actors/system/head_store.hpp"
#include "actors/training/types.hpp"
#include "runtime/base/random.hpp"
#include "runtime/cluster/reachable.hpp"
#include "runtime/metrics/metrics_server.hpp"
#include "tools/slime/arguments.hpp"
#include "tools/slime/cluster_access.hpp"
#include "tools/slime/cluster_token.hpp"
#include "tools/slime/nearest_word.hpp"
#include "tools/slime/node_log.hpp"
#include "tools/slime/session.hpp"
#include "tools/slime/stop_signals.hpp"

namespace slime::tools {

namespace {

constexpr std::string_view command = "start";

struct Options {
  bool head = false;
  std::string join;
  std::vector<std::string> listen;
  std::string name;
  std::vector<std::string> roles;
  int token_descriptor = -1;
  std::string token_file;
  std::string session;
  double within_s = 60;
  double head_wait_s = 60;
  std::string state;
  double parent_grace_s = 0;
  std::string metrics;
  std::string log_level;
};

void describe(CLI::App& parser, Options& options) {
  auto* head = parser.add_flag("--head", options.head, "start a cluster");
  auto* join = parser.add_option("--join", options.join, "join the cluster whose head is there")
                   ->type_name("ADDRESS");
  head->excludes(join);
  parser
      .add_option("--listen", options.listen,
                  "where other nodes reach this one: tcp:HOST:PORT (port 0: any) or unix:/PATH")
      ->type_name("ENDPOINT")
      ->allow_extra_args(false);
  parser
      .add_option(
          "--name", options.name,
          "unique among the living; names its checkpoint store: \"head\" or host and process "
          "by default")
      ->type_name("NAME");
  parser.add_option("--role", options.roles, "what may run here: worker, shard; both by default")
      ->type_name("ROLE")
      ->allow_extra_args(false);
  auto* file = parser.add_option("--token-file", options.token_file, "holds the cluster's secret")
                   ->type_name("FILE");
  parser.add_option("--token-fd", options.token_descriptor, "read the secret from this descriptor")
      ->type_name("N")
      ->excludes(file);
  parser.add_option("--session", options.session, "folder where commands find the cluster")
      ->type_name("DIR");
  parser.add_option("--within", options.within_s, "seconds to wait for the head")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 86400.0));
  parser
      .add_option("--head-wait", options.head_wait_s,
                  "seconds to go on without the head, for it to be started again")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 604800.0));
  parser
      .add_option("--state", options.state,
                  "keep what the cluster is in this folder, so that a head started again with it, "
                  "there or after a crash, takes up the cluster and its jobs")
      ->type_name("DIR")
      ->needs(head);
  parser
      .add_option("--parent-grace", options.parent_grace_s,
                  "seconds to go on after a signal of anybody but the parent process, which ends "
                  "this one in order; a second signal is obeyed at once")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 86400.0));
  parser
      .add_option(
          "--metrics", options.metrics,
          "serve metrics for Prometheus at http://HOST:PORT/metrics (port 0: any; without a "
          "host: for this machine only)")
      ->type_name("HOST:PORT");
  parser
      .add_option("--log-level", options.log_level,
                  "least important lines of the log: debug, info, warning (the default), error")
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}).description(""));
}

/// A node's name is also that of its store's folder.
Status check_name(const std::string& name) {
  const auto fits = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) ||
           std::string_view("._-").find(letter) != std::string_view::npos;
  };
  if (name.size() <= 128 && name.front() != '.' && std::ranges::all_of(name, fits)) return ok();
  return Error{Errc::invalid_argument,
               fmt::format("--name: \"{}\" names a folder: use at most 128 letters, digits, '.', "
                           "'_' and '-', and no '.' in front",
                           name)};
}

Status check_roles(const std::vector<std::string>& roles) {
  static constexpr std::string_view known[] = {"worker", "shard", "head"};
  for (const std::string& role : roles)
    if (!std::ranges::count(known, role))
      return Error{Errc::invalid_argument,
                   fmt::format("--role: \"{}\" is no role; {}", role, suggestion(role, known))};
  return ok();
}

bool is_loopback(const runtime::Endpoint& endpoint) {
  const auto parts = runtime::parse(endpoint);
  return parts &&
         (parts->kind == runtime::EndpointParts::Kind::unix_socket || parts->host == "localhost" ||
          parts->host == "::1" || parts->host.starts_with("127."));
}

std::string default_name(const Options& options) {
  if (options.head) return "head";
  std::array<char, 65> host{};
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("{}-{}", host.data(), ::getpid());
}

/// What a head keeps. Null: nothing.
using State = std::unique_ptr<actors::HeadStore>;

Result<State> open_state(const Options& options) {
  if (options.state.empty()) return State();
  return actors::HeadStore::open(options.state, random_node_id(), wall_clock_us());
}

std::vector<runtime::Endpoint> endpoints_of(const Options& options, const State& state) {
  std::vector<runtime::Endpoint> endpoints;
  for (const std::string& text : options.listen) endpoints.push_back(endpoint_of(text));
  // Where its nodes look for it.
  if (endpoints.empty() && state)
    for (const std::string& text : state->identity().endpoints) endpoints.push_back({text});
  if (!endpoints.empty()) return endpoints;
  // A node whose head is on another machine must be reached from there.
  const bool wide = !options.head && !is_loopback(endpoint_of(options.join));
  return {{wide ? "tcp:0.0.0.0:0" : "tcp:127.0.0.1:0"}};
}

bool token_is_given(const Options& options) {
  return options.token_descriptor >= 0 || !options.token_file.empty();
}

Result<FoundToken> token_of(const Options& options, const State& state) {
  if (options.head && !token_is_given(options)) {
    if (state && !state->identity().token.empty())
      return FoundToken{state->identity().token, {}, "the state in " + options.state};
    return FoundToken{make_token(), {}, "this command"};
  }
  return find_token({options.token_descriptor, options.token_file, options.session});
}

/// A node that cannot start says so in one line of its own; until it has started, its log is for
/// those who asked for it.
NodeLog log_of(const Options& options, std::shared_ptr<std::atomic<bool>> started) {
  const LogLevel least = log_level(options.log_level).value_or(LogLevel::warning);
  *started = !options.log_level.empty();
  return [started, log = log_to(STDERR_FILENO, least)](LogLevel level, const std::string& text) {
    if (*started) log(level, text);
  };
}

/// Why the node must end, told on whatever thread finds out.
class UnexpectedEnd {
 public:
  void set(const Error& why) {
    const std::lock_guard lock(mutex_);
    why_ = why;
  }
  std::optional<Error> get() {
    const std::lock_guard lock(mutex_);
    return why_;
  }

 private:
  std::mutex mutex_;
  std::optional<Error> why_;
};

actors::ClusterSettings settings_of(const Options& options, const std::string& token,
                                    const State& state, NodeLog log) {
  actors::ClusterSettings settings;
  settings.node.link.self.name = options.name;
  settings.node.link.cluster_id = cluster_id;
  settings.node.link.token = token;
  settings.node.link.listen = endpoints_of(options, state);
  settings.node.link.log = std::move(log);
  settings.roles =
      options.roles.empty() ? std::vector<std::string>{"worker", "shard"} : options.roles;
  if (options.head && !std::ranges::count(settings.roles, "head"))
    settings.roles.emplace_back("head");
  settings.join_within = from_seconds(options.within_s);
  settings.head_wait = from_seconds(options.head_wait_s);
  settings.store = state.get();
  return settings;
}

Member record_of(const Options& options, const std::vector<runtime::Endpoint>& endpoints,
                 const ProcessIdentity& process) {
  Member member;
  member.process = process;
  member.role = options.head ? ProcessRole::head : ProcessRole::node;
  member.name = options.name;
  for (const auto& endpoint : endpoints) member.endpoints.push_back(endpoint.text);
  member.started_at_us = wall_clock_us();
  return member;
}

/// Makes the node findable for other commands on this machine, and for its cluster's nodes once it
/// is started again.
Result<SessionEntry> enter_session(const Options& options, const std::string& token,
                                   const State& state, actors::ClusterNode& node) {
  if (state) {
    std::vector<std::string> bound;
    for (const auto& endpoint : node.node().endpoints()) bound.push_back(endpoint.text);
    const Status kept = state->remember(token_is_given(options) ? "" : token, std::move(bound));
    if (!kept) return kept.error();
  }
  const auto session = Session::create(options.session);
  if (!session) return session.error();
  const auto process = identify(::getpid());
  if (!process) return process.error();
  auto entry =
      session->record(record_of(options, runtime::reachable(node.node().endpoints()), *process));
  if (!entry || !options.head) return entry;
  if (const Status kept = session->write_token(token); !kept) return kept.error();
  return entry;
}

void tell_how_to_join(const Options& options, const std::vector<runtime::Endpoint>& endpoints,
                      const Console& console) {
  const auto wide = std::ranges::find_if_not(endpoints, is_loopback);
  const std::string session = fmt::format(" --session {}", options.session);
  console.out << fmt::format("to join from this machine: slime start --join {}{}\n",
                             endpoints.front().text, session);
  if (wide == endpoints.end())
    console.out << "other machines cannot reach it, for it listens on this one only: "
                   "--listen tcp:0.0.0.0:PORT opens it\n";
  else
    console.out << fmt::format(
        "to join from another machine, with a copy of {}: "
        "slime start --join {} --token-file FILE\n",
        options.token_file.empty() ? (std::filesystem::path(options.session) / "token").string()
                                   : options.token_file,
        wide->text);
}

/// A signal counts more than what ended the node at the same time: who asks a node and its head to
/// end, in whatever order, sees both end well.
/// @param waiting  A signal has come already and its time has not.
std::optional<int> asked_meanwhile(bool waiting, StopSignals& signals) {
  const auto signal = signals.take_all();
  if (signal) return signal->number;
  return waiting ? std::optional(SIGTERM) : std::nullopt;
}

/// Waits until the node is to end. Returns the signal that says so; none when it ends by itself.
/// Whoever signals all processes of a run at once would otherwise end the nodes under a parent that
/// wants to save what they hold.
std::optional<int> wait_for_end(const Options& options, StopSignals& signals,
                                UnexpectedEnd& unexpected) {
  std::optional<Instant> leave_at;
  for (;;) {
    const Instant now = monotonic_now();
    if (unexpected.get()) return asked_meanwhile(leave_at.has_value(), signals);
    if (leave_at && now >= *leave_at) return SIGTERM;
    const auto signal = signals.wait(leave_at ? std::optional(*leave_at - now) : std::nullopt);
    if (!signal) continue;
    const bool parent_ends_us = options.parent_grace_s > 0 && signal->sender != ::getppid();
    if (!parent_ends_us || leave_at) return signal->number;
    leave_at = monotonic_now() + from_seconds(options.parent_grace_s);
  }
}

/// Bound before the node is, so that a taken port costs the cluster nothing. Null: not asked for.
Result<std::unique_ptr<runtime::MetricsServer>> open_metrics(const Options& options) {
  if (options.metrics.empty()) return std::unique_ptr<runtime::MetricsServer>();
  return runtime::MetricsServer::open(options.metrics);
}

/// Waits until the node is to end, and ends it and its metrics, of which there may be none.
ExitCode run_member(const Options& options, actors::ClusterNode& node,
                    std::unique_ptr<runtime::MetricsServer> metrics, StopSignals& signals,
                    UnexpectedEnd& unexpected, const Console& console) {
  const std::optional<int> signal = wait_for_end(options, signals, unexpected);
  const auto lost = unexpected.get();
  // The nodes of a head that may be started again wait for it.
  const bool silently = lost || !options.state.empty();
  const Status ended =
      silently ? node.stop() : node.leave(fmt::format("it was asked to end by signal {}", *signal));
  // Nothing may be left that could take long once signals are not heeded any more.
  metrics.reset();
  const bool asked = signals.take_last() || signal;
  if (!asked) return report(console, command, *lost, false);
  return ended ? ExitCode::ok : report(console, command, ended.error(), false);
}

ExitCode run_node(const Options& options, const Console& console) {
  // Before the node starts its threads.
  StopSignals signals(EarlyWarning::ignored);
  const auto state = open_state(options);
  if (!state) return report(console, command, state.error(), false);
  const auto token = token_of(options, *state);
  if (!token) return report(console, command, token.error(), false);
  auto metrics = open_metrics(options);
  if (!metrics) return report(console, command, metrics.error(), false);
  UnexpectedEnd unexpected;
  const auto started = std::make_shared<std::atomic<bool>>();
  auto settings = settings_of(options, token->text, *state, log_of(options, started));
  settings.on_end = [&](const Error& why) {
    unexpected.set(why);
    signals.wake();
  };
  auto node =
      options.head
          ? actors::ClusterNode::start_head(settings, actors::training_types({.usage = read_usage}))
          : actors::ClusterNode::join(settings, endpoint_of(options.join),
                                      actors::training_types({.usage = read_usage}));
  if (!node) return report(console, command, token->explain(node.error()), false);
  const auto endpoints = runtime::reachable((*node)->node().endpoints());
  const auto entry = enter_session(options, token->text, *state, **node);
  if (!entry) {
    static_cast<void>((*node)->leave("it could not enter its session"));
    return report(console, command, entry.error(), false);
  }
  *started = true;
  for (const auto& endpoint : endpoints)
    console.out << fmt::format("{} listens at {}\n", options.name, endpoint.text);
  if (options.head) tell_how_to_join(options, endpoints, console);
  if (*state && (*state)->found())
    console.out << fmt::format("{} takes up the cluster in {}\n", options.name, options.state);
  if (*metrics) {
    (*metrics)->serve([&inside = (*node)->node()] { return inside.stats(); });
    console.out << fmt::format("{} serves metrics at {}\n", options.name, (*metrics)->url());
  }
  console.out.flush();
  return run_member(options, **node, std::move(*metrics), signals, unexpected, console);
}

}  // namespace

ExitCode run_start(std::span<const std::string> arguments, const Console& console) {
  Options options;
  CLI::App parser(
      "Runs a node of a cluster in the foreground until it is signalled; the head starts the "
      "cluster, other nodes join it.");
  describe(parser, options);
  if (const auto over = parse(parser, command, arguments, console)) return *over;
  if (options.head == !options.join.empty())
    return report(console, command,
                  Error{Errc::invalid_argument,
                        "--head starts a cluster, --join ADDRESS joins one: give one of them"},
                  false);
  if (options.name.empty()) options.name = default_name(options);
  for (const Status& sound : {check_name(options.name), check_roles(options.roles)})
    if (!sound) return report(console, command, sound.error(), false);
  if (const auto parts = runtime::parse(endpoint_of(options.join)); !options.head && !parts)
    return report(console, command, parts.error(), false);
  if (options.session.empty())
    options.session = Session::default_folder(console.environment, ::geteuid()).string();
  return run_node(options, console);
}

}  // namespace slime::tools
