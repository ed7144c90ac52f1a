#pragma once

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/random.hpp"
#include "runtime/wire/address.hpp"
#include "tests/sim/acknowledged_groups.hpp"
#include "tests/sim/training_job.hpp"

namespace slime::tests {

/// A job of two shards, each with a standby.
inline TrainingJob::Settings replicated(const std::string& mode) {
  return {.mode = mode, .epochs = 2, .adjust = [](auto job) { job.setReplicas(1); }};
}

/// A replicated job, and one to three deaths drawn from the seed: of a shard, its standby, both,
/// the coordinator, a worker, or either end of a message, each when some message comes by; with
/// half of them what they had sent is lost, too, as with their machine.
class StandbyTrial {
 public:
  StandbyTrial(std::uint64_t seed, const std::string& mode,
               runtime::Catalogue catalogue = actors::training_types())
      : random_(seed, 31),
        settings_(replicated(mode)),
        saves_(random_.below(3) == 0),
        job_(seed, link(), with_checkpoints(), files_, std::move(catalogue)) {
    for (std::uint64_t i = random_.below(3) + 1; i > 0; --i) harms_.push_back(draw());
    job_.simulation().observe([this](const runtime::Delivery& delivery) { return see(delivery); });
  }

  /// The hash that the job ends with, or why it did not.
  std::string run() {
    // Sometimes a machine dies with all that is on it, too.
    if (random_.below(3) == 0) {
      const auto when = std::chrono::microseconds(random_.below(250'000));
      job_.simulation().run_until(job_.simulation().now() + when);
      job_.simulation().kill_node(job_.nodes()[random_.below(job_.nodes().size())]);
    }
    const auto progress = job_.run(std::chrono::hours(1));
    for (const auto& line : job_.simulation().log_lines()) {
      BOOST_TEST_MESSAGE(to_seconds(line.time - runtime::simulation_start)
                         << " s " << to_string(line.actor) << " " << line.text);
      reported_ = reported_ || line.text.find("this is a fault of SLIME") != std::string::npos;
    }
    if (!progress) return "the coordinator never answered";
    return progress->read([this](schema::Progress::Reader read) -> std::string {
      takeovers_ = read.getTakeovers();
      if (read.getState() == schema::JobState::FINISHED && read.getSamples() == 2 * 103)
        return read.getParametersSha256().cStr();
      return "state " + std::to_string(static_cast<int>(read.getState())) + " at iteration " +
             std::to_string(read.getIteration()) + ": " + read.getFailure().getContext().cStr();
    });
  }

  /// What a shard lacked of what all had acknowledged; empty: nothing.
  const std::string& lost() const { return acknowledged_.lost(); }
  bool reported() const { return reported_; }  ///< Such a thing, by the coordinator.
  bool found() const { return reported_ || !lost().empty(); }
  std::uint32_t takeovers() const { return takeovers_; }
  /// How many messages and timers came by.
  std::uint64_t deliveries() { return job_.simulation().deliveries(); }

 private:
  enum class Victim : std::uint8_t { shard, standby, both, coordinator, worker, sender, receiver };
  static constexpr std::size_t victims = 7;

  struct Harm {
    std::uint64_t type = 0;  ///< Of the message.
    std::uint64_t occurrence = 0;
    Victim victim = Victim::shard;
    std::size_t which = 0;  ///< Of the shards.
    bool silent = false;    ///< What it had sent is lost with it.
  };

  template <class... T>
  static std::vector<std::uint64_t> types() {
    return {runtime::type_id<T>()...};
  }
  Harm draw() {
    static const auto moments =
        types<schema::Push, schema::Pushed, schema::Complete, schema::Completed, schema::Commit,
              schema::Committed, schema::Mirror, schema::Mirrored, schema::Replicate,
              schema::Replicated, schema::StandbyLost, schema::StandbyLostTaken, schema::Adopt,
              schema::Inventory, schema::Begin, schema::Grant, schema::Parameters>();
    return {.type = moments[random_.below(moments.size())],
            .occurrence = random_.below(2) ? random_.below(6) : random_.below(80),
            .victim = static_cast<Victim>(random_.below(victims)),
            .which = random_.below(2),
            .silent = random_.below(2) == 1};
  }

  runtime::LinkModel link() {
    runtime::LinkModel model;
    model.loss = random_.below(3) == 0 ? 0.02 : 0;
    model.detection = std::chrono::seconds(1);
    return model;
  }
  const TrainingJob::Settings& with_checkpoints() {
    settings_.checkpoint_every = saves_ ? 3 : 0;
    return settings_;
  }

  runtime::Verdict see(const runtime::Delivery& delivery) {
    using runtime::DeliveryKind;
    using runtime::Message;
    using runtime::Verdict;
    const bool message = delivery.kind == DeliveryKind::tell ||
                         delivery.kind == DeliveryKind::ask ||
                         delivery.kind == DeliveryKind::answer;
    if (!message || delivery.from.number < actors::first_free_number ||
        delivery.to.number < actors::first_free_number)
      return Verdict::deliver;
    if (silenced_.contains(delivery.from)) return Verdict::drop;
    if (delivery.message.type == runtime::type_id<schema::Replicate>())
      Message<schema::Replicate>::adopt(delivery.message.words).read([&](auto read) {
        coordinator_ = delivery.from;
        standbys_[delivery.to] = runtime::read_address(read.getStandby());
      });
    if (delivery.message.type == runtime::type_id<schema::Complete>()) worker_ = delivery.from;
    acknowledged_.see(delivery);
    const std::uint64_t count = seen_[delivery.message.type]++;
    Verdict verdict = Verdict::deliver;
    for (const Harm& harm : harms_)
      if (harm.type == delivery.message.type && harm.occurrence == count)
        for (const ActorAddress& victim : victims_of(harm, delivery)) {
          if (!job_.simulation().alive(victim)) continue;
          (void)job_.simulation().kill_actor(victim, {Errc::internal, "by the test"});
          if (!harm.silent) continue;
          silenced_.insert(victim);
          if (victim == delivery.from) verdict = Verdict::drop;
        }
    return verdict;
  }

  std::vector<ActorAddress> victims_of(const Harm& harm, const runtime::Delivery& delivery) {
    std::vector<ActorAddress> shards;
    for (const auto& [shard, standby] : standbys_)
      if (job_.simulation().alive(shard)) shards.push_back(shard);
    const ActorAddress shard = shards.empty() ? ActorAddress{} : shards[harm.which % shards.size()];
    const ActorAddress standby = shards.empty() ? ActorAddress{} : standbys_[shard];
    switch (harm.victim) {
      case Victim::shard:
        return {shard};
      case Victim::standby:
        return {standby};
      case Victim::both:
        return {shard, standby};
      case Victim::coordinator:
        return {coordinator_};
      case Victim::worker:
        return {worker_};
      case Victim::sender:
        return {delivery.from};
      case Victim::receiver:
        return {delivery.to};
    }
    return {};
  }

  const SmallData files_;
  Random random_;
  TrainingJob::Settings settings_;
  bool saves_;
  TrainingJob job_;
  std::vector<Harm> harms_;
  std::map<std::uint64_t, std::uint64_t> seen_;    ///< Deliveries by type.
  std::map<ActorAddress, ActorAddress> standbys_;  ///< By shard.
  std::set<ActorAddress> silenced_;
  ActorAddress coordinator_, worker_;
  AcknowledgedGroups acknowledged_;
  bool reported_ = false;
  std::uint32_t takeovers_ = 0;
};

}  // namespace slime::tests
