#include "tools/slime/simulation/simulated_run.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "actors/training/job_parts.hpp"
#include "actors/training/protocols.hpp"
#include "actors/training/types.hpp"
#include "runtime/wire/address.hpp"
#include "tools/slime/simulation/capacity.hpp"
#include "tools/slime/simulation/fault_plan.hpp"
#include "tools/slime/simulation/lead_bound.hpp"
#include "tools/slime/simulation/onlooker.hpp"
#include "tools/slime/simulation/scenario_job.hpp"
#include "tools/slime/simulation/shared_gradients.hpp"
#include "tools/slime/simulation/simulated_cluster.hpp"

namespace slime::tools {

using namespace std::chrono_literals;
using runtime::Message;

namespace {

// Of the least time: who takes longer has come to a standstill.
constexpr double patience = 100;
// To bring up a cluster whose last workers are to join later: the coordinator waits for them first.
constexpr Duration start_limit = 3600s;

runtime::LinkModel link_of(schema::Scenario::Reader scenario) {
  const auto link = scenario.getLink();
  return {.delay_min = from_seconds(link.getDelayMinUs() * 1e-6),
          .delay_max = from_seconds(link.getDelayMaxUs() * 1e-6),
          .loss = link.getLoss(),
          .detection = from_seconds(link.getDetectionSeconds())};
}

runtime::Catalogue catalogue_of(SharedGradients& gradients, TurnTimes& decisions) {
  auto catalogue =
      actors::training_types({.make_source = [&gradients] { return gradients.source(); }});
  for (runtime::ActorType& type : catalogue)
    if (type.name == "balancer") type = timed(type, runtime::type_id<schema::Loads>(), decisions);
  return catalogue;
}

/// One run, from the empty cluster to its result.
class Run {
 public:
  Run(schema::Scenario::Reader scenario, schema::Run::Reader run)
      : scenario_(scenario),
        run_(run),
        emulation_(emulation_of_scenario(scenario).value()),
        lives_(lifetimes_of(scenario)),
        job_(job_of(scenario, run, emulation_)),
        gradients_(samples_of(scenario)),
        onlooker_(job_.read([&](auto job) {
          return Onlooker(actors::work_plan(job, samples_of(scenario)), lead_bound(job));
        })),
        cluster_(scenario.getSeed(), link_of(scenario), catalogue_of(gradients_, decisions_)),
        faults_(scenario, cluster_, onlooker_) {}

  Result<SimulatedRun> result() {
    simulation().set_log_limit(100);
    simulation().observe([this](const runtime::Delivery& delivery) {
      onlooker_.see(delivery);
      return runtime::Verdict::deliver;
    });
    faults_.build();
    if (Status started = start(); !started) return started.error();
    const auto ideal = trainer::ideal_makespan_s(emulation_, lives_, samples_of(scenario_));
    if (!ideal) return ideal.error();
    if (Status finished = finish(*ideal); !finished) return finished.error();
    if (onlooker_.violation()) return Error{Errc::internal, *onlooker_.violation()};
    return measured(*ideal);
  }

 private:
  runtime::Simulation& simulation() { return cluster_.simulation(); }

  Status start() {
    // All machines are known before the coordinator hears of any: it looks again at each change.
    simulation().run_until(simulation().now() + 1ms);
    const auto spec = Message<schema::CoordinatorSpec>::make([&](auto root) {
      runtime::write_address(root.initMembership(), cluster_.membership());
      runtime::write_address(root.initDirectory(), cluster_.directory());
      root.setRun(scenario_.getSeed());
      job_.read([&](schema::JobSpec::Reader job) { root.setJob(job); });
    });
    const auto coordinator = simulation().spawn(cluster_.head(), "coordinator", spec.any());
    if (!coordinator) return coordinator.error();
    coordinator_ = actors::Coordinator{*coordinator};
    const bool begun = simulation().run_until(
        [this] {
          return onlooker_.started().has_value() || !simulation().alive(coordinator_.address);
        },
        start_limit);
    return begun && onlooker_.started() ? ok() : failure("did not start");
  }

  /// Runs to the end, and does meanwhile to the cluster what the scenario has planned.
  Status finish(double ideal_s) {
    const auto over = [this] {
      return onlooker_.finished() || onlooker_.ended() || onlooker_.violation();
    };
    const Instant limit = *onlooker_.started() + from_seconds(patience * ideal_s) + start_limit;
    while (!over()) {
      const Instant next = std::max(simulation().now(), std::min(limit, faults_.next()));
      if (simulation().run_until(over, next - simulation().now())) break;
      if (next == limit) return failure("was not done in a hundred times the least time");
      faults_.happen();
    }
    return onlooker_.finished() || onlooker_.violation() ? ok() : failure("ended early");
  }

  Error failure(const std::string& what) {
    const auto progress =
        simulation().call(coordinator_, Message<schema::GetProgress>::make(), 60s);
    const std::string name =
        std::string(run_.getMode().cStr()) + " with " + run_.getPolicy().cStr() + " " + what;
    if (!progress) return {progress.error().code, name + ": " + progress.error().context};
    return progress->read([&](schema::Progress::Reader read) {
      std::string text = name + ", at iteration " + std::to_string(read.getIteration());
      if (read.hasFailure()) text += std::string(": ") + read.getFailure().getContext().cStr();
      if (read.getEvents().size() > 0)
        text += std::string("; its last event: ") +
                read.getEvents()[read.getEvents().size() - 1].getText().cStr();
      return Error{Errc::timeout, text};
    });
  }

  SimulatedRun measured(double ideal_s) {
    const Capacity capacity(emulation_, lives_);
    SimulatedRun result{.mode = run_.getMode().cStr(),
                        .policy = run_.getPolicy().cStr(),
                        .fast_reassignment = run_.getFastReassignment(),
                        .seconds = onlooker_.finished_s().back(),
                        .oracle_seconds = ideal_s,
                        .share_changes = onlooker_.share_changes(),
                        .samples_moved = onlooker_.samples_moved(),
                        .lead = onlooker_.lead(),
                        .deliveries = simulation().deliveries(),
                        .replay_hash = simulation().trace_hash(),
                        .decisions = decisions_};
    result.idle_fraction = 1 - onlooker_.busy_s() / capacity.presence_s(result.seconds);
    for (const double at_s : changes_of(scenario_)) {
      // Nobody can react to what comes later.
      if (at_s >= result.seconds) break;
      result.changes = true;
      const auto reaction = capacity.reaction(onlooker_.finished_s(), scenario_.getBatch(), at_s,
                                              scenario_.getSettled());
      if (!reaction) {
        result.reaction_iterations.reset();
        break;
      }
      result.reaction_iterations = std::max(result.reaction_iterations.value_or(0), *reaction);
    }
    return result;
  }

  schema::Scenario::Reader scenario_;
  schema::Run::Reader run_;
  trainer::EmulationSpec emulation_;
  std::vector<trainer::Lifetime> lives_;
  Message<schema::JobSpec> job_;
  SharedGradients gradients_;
  TurnTimes decisions_;
  Onlooker onlooker_;
  SimulatedCluster cluster_;
  FaultPlan faults_;
  actors::Coordinator coordinator_;
};

}  // namespace

Result<SimulatedRun> simulate(schema::Scenario::Reader scenario, schema::Run::Reader run) {
  return Run(scenario, run).result();
}

}  // namespace slime::tools
