#include "tools/slime/cluster_status.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <optional>
#include <string_view>

#include "tools/slime/job_client.hpp"
#include "tools/slime/json_text.hpp"

namespace slime::tools {

using runtime::Message;

namespace {

constexpr Duration answer_within = std::chrono::seconds(2);
constexpr std::string_view job_prefix = "job/";
constexpr std::string_view coordinator_suffix = "/coordinator";

std::string name_of(schema::MemberState state) {
  static constexpr std::string_view names[] = {"alive", "suspect", "dead", "left"};
  const auto at = static_cast<std::size_t>(state);
  return std::string(at < std::size(names) ? names[at] : "unknown");
}

std::string name_of(schema::JobState state) {
  static constexpr std::string_view names[] = {"starting", "training", "finished", "failed",
                                               "stopped"};
  const auto at = static_cast<std::size_t>(state);
  return std::string(at < std::size(names) ? names[at] : "unknown");
}

std::vector<std::string> texts(capnp::List<capnp::Text>::Reader list) {
  std::vector<std::string> all;
  for (const auto one : list) all.emplace_back(one.cStr());
  return all;
}

ClusterStatus::Job read_job(const ClusterAccess& cluster, const std::string& name) {
  ClusterStatus::Job job;
  job.name = name;
  job.state = "unknown";
  const auto progress = JobClient(cluster, name).progress();
  if (!progress) {
    job.failure = progress.error().context;
    return job;
  }
  progress->read([&job](schema::Progress::Reader read) {
    job.state = name_of(read.getState());
    job.failure = read.getFailure().getContext().cStr();
    job.iteration = read.getIteration();
    job.iterations = read.getIterations();
    job.test_accuracy = read.getTestAccuracy();
    job.rollbacks = read.getRollbacks();
    job.standbys = read.getStandbys();
    job.takeovers = read.getTakeovers();
    job.refused_pushes = read.getRefusedPushes();
  });
  return job;
}

std::string list_json(const std::vector<std::string>& objects) {
  return fmt::format("[{}]", fmt::join(objects, ","));
}

std::string names_json(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(json_quote(name));
  return list_json(quoted);
}

}  // namespace

Result<ClusterStatus> read_status(const ClusterAccess& cluster) {
  ClusterStatus status;
  const auto members =
      cluster.node.call(cluster.membership, Message<schema::GetMembers>::make(), answer_within);
  if (!members) return members.error();
  members->read([&status](schema::Members::Reader read) {
    for (const auto one : read.getMembers())
      status.members.push_back({one.getName().cStr(), name_of(one.getState()),
                                one.getReason().cStr(), texts(one.getRoles()),
                                texts(one.getEndpoints()), one.getPid()});
  });
  const auto actors =
      cluster.node.call(cluster.supervisor, Message<schema::ListSupervised>::make(), answer_within);
  if (!actors) return actors.error();
  actors->read([&status](schema::SupervisedActors::Reader read) {
    for (const auto one : read.getActors())
      status.actors.push_back({one.getName().cStr(), one.getState().cStr(), one.getMember().cStr(),
                               one.getReason().cStr(), one.getRestarts()});
  });
  const auto names = cluster.node.call(
      cluster.directory,
      Message<schema::ListNames>::make([](auto root) { root.setPrefix("job/"); }), answer_within);
  if (!names) return names.error();
  names->read([&](schema::Names::Reader read) {
    for (const auto binding : read.getNames()) {
      std::string_view name = binding.getName().cStr();
      if (!name.ends_with(coordinator_suffix)) continue;
      name.remove_prefix(job_prefix.size());
      name.remove_suffix(coordinator_suffix.size());
      status.jobs.push_back(read_job(cluster, std::string(name)));
    }
  });
  return status;
}

std::string status_text(const ClusterStatus& status) {
  std::string text = fmt::format("{:<20} {:<8} {:<8} {:<20} {:<24} {}\n", "member", "state", "pid",
                                 "roles", "address", "reason");
  for (const auto& one : status.members)
    text += fmt::format("{:<20} {:<8} {:<8} {:<20} {:<24} {}\n", one.name, one.state, one.pid,
                        fmt::format("{}", fmt::join(one.roles, ",")),
                        fmt::format("{}", fmt::join(one.endpoints, ",")), one.reason);
  if (!status.actors.empty())
    text += fmt::format("\n{:<32} {:<20} {:<9} {}\n", "supervised actor", "state", "restarts",
                        "last death");
  for (const auto& one : status.actors)
    text += fmt::format("{:<32} {:<20} {:<9} {}\n", one.name, one.state, one.restarts, one.reason);
  if (!status.jobs.empty())
    text += fmt::format("\n{:<20} {:<9} {:<16} {:<9} {}\n", "job", "state", "iteration", "accuracy",
                        "failure");
  for (const auto& one : status.jobs)
    text += fmt::format(
        "{:<20} {:<9} {:<16} {:<9} {}\n", one.name, one.state,
        fmt::format("{}/{}", one.iteration, one.iterations),
        std::isfinite(one.test_accuracy) ? fmt::format("{:.4f}", one.test_accuracy) : "-",
        one.failure);
  return text;
}

std::string status_json(const ClusterStatus& status) {
  std::vector<std::string> members, actors, jobs;
  for (const auto& one : status.members)
    members.push_back(JsonObject()
                          .text("name", one.name)
                          .text("state", one.state)
                          .text("reason", one.reason)
                          .number("pid", one.pid)
                          .raw("roles", names_json(one.roles))
                          .raw("endpoints", names_json(one.endpoints))
                          .str());
  for (const auto& one : status.actors)
    actors.push_back(JsonObject()
                         .text("name", one.name)
                         .text("state", one.state)
                         .text("member", one.member)
                         .number("restarts", one.restarts)
                         .text("reason", one.reason)
                         .str());
  for (const auto& one : status.jobs)
    jobs.push_back(JsonObject()
                       .text("name", one.name)
                       .text("state", one.state)
                       .text("failure", one.failure)
                       .number("iteration", one.iteration)
                       .number("iterations", one.iterations)
                       .number("test_accuracy", one.test_accuracy)
                       .number("rollbacks", one.rollbacks)
                       .number("standbys", one.standbys)
                       .number("takeovers", one.takeovers)
                       .number("refused_pushes", one.refused_pushes)
                       .str());
  return JsonObject()
      .boolean("ok", true)
      .raw("members", list_json(members))
      .raw("actors", list_json(actors))
      .raw("jobs", list_json(jobs))
      .str();
}

}  // namespace slime::tools
