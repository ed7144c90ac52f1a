#include "tools/slime/simulation/fault_plan.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <set>
#include <string>
#include <utility>

namespace slime::tools {

namespace {

/// Such as "worker-00042": of equal machines placement takes the first by name.
std::string machine_name(const char* role, std::uint32_t index) {
  char name[32];
  std::snprintf(name, sizeof name, "%s-%05u", role, index);
  return name;
}

}  // namespace

std::vector<double> changes_of(schema::Scenario::Reader scenario) {
  std::set<double> at;
  for (const auto change : scenario.getCompute().getChanges()) at.insert(change.getAtSeconds());
  for (const auto join : scenario.getJoins()) at.insert(join.getAtSeconds());
  for (const auto death : scenario.getDeaths()) {
    at.insert(death.getAtSeconds());
    if (death.getForSeconds() > 0) at.insert(death.getAtSeconds() + death.getForSeconds());
  }
  for (const auto partition : scenario.getLink().getPartitions())
    at.insert(partition.getAtSeconds());
  return {at.begin(), at.end()};
}

FaultPlan::FaultPlan(schema::Scenario::Reader scenario, SimulatedCluster& cluster,
                     const Onlooker& onlooker)
    : scenario_(scenario),
      cluster_(cluster),
      onlooker_(onlooker),
      workers_(scenario.getWorkers()),
      parted_(scenario.getWorkers()) {
  for (const auto death : scenario.getDeaths()) {
    const std::uint32_t worker = death.getWorker();
    plan(death.getAtSeconds(),
         [this, worker] { cluster_.simulation().kill_node(machine_of(worker)); });
    if (death.getForSeconds() > 0)
      plan(death.getAtSeconds() + death.getForSeconds(), [this, worker] { add_worker(worker); });
  }
  for (const auto join : scenario.getJoins())
    plan(join.getAtSeconds(), [this, worker = join.getWorker()] { add_worker(worker); });
  for (const auto partition : scenario.getLink().getPartitions()) {
    const std::uint32_t worker = partition.getWorker();
    plan(partition.getAtSeconds(), [this, worker] { part(worker, true); });
    plan(partition.getAtSeconds() + partition.getForSeconds(),
         [this, worker] { part(worker, false); });
  }
}

void FaultPlan::plan(double at_s, std::function<void()> action) {
  actions_.emplace(at_s, std::move(action));
}

void FaultPlan::build() {
  const std::uint32_t machines = scenario_.getShards() * (1 + scenario_.getReplicas());
  for (std::uint32_t shard = 0; shard < machines; ++shard)
    shards_.push_back(cluster_.add_machine(machine_name("shard", shard), "shard"));
  std::set<std::uint32_t> later;
  for (const auto join : scenario_.getJoins()) later.insert(join.getWorker());
  for (std::uint32_t worker = 0; worker < scenario_.getWorkers(); ++worker)
    if (!later.contains(worker)) add_worker(worker);
}

Instant FaultPlan::next() const {
  if (actions_.empty()) return Instant::max();
  return *onlooker_.started() + from_seconds(actions_.begin()->first);
}

void FaultPlan::happen() {
  while (next() <= cluster_.simulation().now()) actions_.extract(actions_.begin()).mapped()();
}

void FaultPlan::add_worker(std::uint32_t worker) {
  workers_[worker] = cluster_.add_machine(machine_name("worker", worker), "worker");
}

NodeId FaultPlan::machine_of(std::uint32_t worker) const {
  // After several deaths at a time they may have changed places.
  return onlooker_.machine_of(worker).value_or(workers_[worker]);
}

void FaultPlan::part(std::uint32_t worker, bool apart) {
  if (apart) parted_[worker] = machine_of(worker);
  const NodeId machine = parted_[worker];
  runtime::Simulation& simulation = cluster_.simulation();
  simulation.partition(cluster_.head(), machine, apart);
  for (const NodeId shard : shards_) simulation.partition(shard, machine, apart);
  if (apart || !cluster_.lost(machine)) return;
  simulation.kill_node(machine);
  add_worker(worker);
}

}  // namespace slime::tools
