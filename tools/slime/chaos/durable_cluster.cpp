#include "tools/slime/chaos/durable_cluster.hpp"

#include <fmt/format.h>

#include <utility>

#include "tools/slime/local_run.hpp"
#include "tools/slime/session.hpp"

namespace slime::tools {

namespace {

// A head that is killed is back within a second; one that is stopped wakes after six.
constexpr const char* head_wait_s = "30";

}  // namespace

DurableCluster::DurableCluster(std::filesystem::path private_folder)
    : private_folder_(std::move(private_folder)), token_(make_token()) {}

Result<std::unique_ptr<DurableCluster>> DurableCluster::start(const Settings& settings) {
  std::unique_ptr<DurableCluster> cluster(new DurableCluster(settings.private_folder));
  std::vector<ChildSpec> specs{cluster->head(settings)};
  for (std::uint32_t i = 0; i < settings.workers; ++i)
    specs.push_back(cluster->node(fmt::format("worker-{}", i), "worker", settings));
  for (std::uint32_t i = 0; i < settings.shards; ++i)
    specs.push_back(cluster->node(fmt::format("shard-{}", i), "shard", settings));
  cluster->size_ = specs.size();
  LocalCluster::Options options;
  options.log_directory = settings.folder / "logs";
  options.restart = restart;
  auto processes = LocalCluster::start(std::move(specs), std::move(options));
  if (!processes) return processes.error();
  cluster->processes_ = std::move(*processes);
  return cluster;
}

ChildSpec DurableCluster::head(const Settings& settings) const {
  return {LocalRun::head_name,
          {settings.program, "start", "--head", "--role", "head", "--state",
           (settings.folder / "state").string(), "--listen", place_of("head"), "--session",
           session().string(), "--log-level", "info"},
          token_,
          {}};
}

ChildSpec DurableCluster::node(const std::string& name, const std::string& role,
                               const Settings& settings) const {
  return {name,
          {settings.program, "start", "--join", place_of("head"), "--listen", place_of(name),
           "--name", name, "--role", role, "--session", session().string(), "--head-wait",
           head_wait_s, "--log-level", "info"},
          token_,
          // A worker is one thread of work; libraries that add more would take them from others.
          {"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1"}};
}

std::vector<std::string> DurableCluster::train_arguments() const {
  return {"--address", place_of("head"), "--session", session().string()};
}

}  // namespace slime::tools
