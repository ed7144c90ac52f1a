#pragma once

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/actors/training/training_stage.hpp"

namespace slime::tests {

/// Stands where a shard's coordinator is: asks for standbys, and hears which are lost.
class StandbyKeeper final : public runtime::Actor<actors::CoordinatorProtocol> {
 public:
  explicit StandbyKeeper(runtime::Host& host) : Actor(host) { on(&StandbyKeeper::lost); }

  using Actor::ask;

  std::vector<Message<schema::StandbyLost>> losses;
  bool takes_note = true;  ///< False: it does not answer.

 private:
  void lost(const Message<schema::StandbyLost>& loss,
            runtime::Reply<schema::StandbyLostTaken> reply) {
    losses.push_back(loss);
    if (takes_note) return reply.send(Message<schema::StandbyLostTaken>::make());
    kept_.push_back(std::move(reply));
  }

  std::vector<runtime::Reply<schema::StandbyLostTaken>> kept_;
};

/// A shard of a small job and a standby for it, on nodes of their own, and a worker that pushes.
struct StandbyStage : TrainingStage {
  using Floats = std::vector<float>;
  using Answer = std::optional<Result<Message<schema::Pushed>>>;

  explicit StandbyStage(const std::string& mode = "bsp", const std::string& layers = "dense 3",
                        std::uint64_t parameters = small_job_parameters)
      : mode_(mode), layers_(layers), count(parameters) {
    const runtime::ActorType type{"keeper", runtime::Turns::computing,
                                  [this](runtime::Host& host, const runtime::AnyMessage&) {
                                    auto made = std::make_unique<StandbyKeeper>(host);
                                    keeper = made.get();
                                    return made;
                                  }};
    (void)simulation.spawn(node, type, {}).value();
    run();
    shard = spawn_shard(node, false);
    standby = spawn_shard(other, true);
  }

  actors::ParameterShard spawn_shard(NodeId where, bool stands_by) {
    const auto spec = Message<schema::ShardSpec>::make([&](schema::ShardSpec::Builder root) {
      fill_small_job(root.initJob(), *this, mode_);
      root.getJob().getModel().initLayers(1).set(0, layers_);
      root.getJob().getOptimizer().setMomentum(0.5);
      root.setTerm(3);
      root.setInputs(4);
      root.setSamples(103);
      root.setCount(count);
      root.setStandby(stands_by);
    });
    const auto address = simulation.spawn(where, "parameter_shard", spec.any());
    BOOST_REQUIRE(bool(address));
    run();
    return {*address};
  }

  /// Has the shard send `to` what it has; the answer is there when it has everything.
  void replicate(actors::ParameterShard to, std::uint64_t term = 3) {
    replicated.reset();
    keeper->ask(shard, Message<schema::Replicate>::make([&](schema::Replicate::Builder root) {
                  root.setTerm(term);
                  runtime::write_address(root.initStandby(), to.address);
                }),
                3600s, [this](const auto& answer) { replicated = answer; });
    run(100ms);
  }
  bool ready() const { return replicated && *replicated; }

  /// Pushes group `group` and runs on for a little.
  void push(std::uint64_t group, const std::vector<std::uint32_t>& blocks, float gradient,
            Answer& answer, std::uint64_t iteration = 0, std::uint64_t term = 3) {
    const Floats sums(count, gradient);
    const auto request = Message<schema::Push>::make(
        [&](schema::Push::Builder root) {
          root.setTerm(term);
          root.setGroup(group);
          root.setIteration(iteration);
          root.setVersion(iteration);
          root.setBlocks(kj::arrayPtr(blocks.data(), blocks.size()));
          root.setSamples(static_cast<std::uint32_t>(4 * blocks.size()));
          root.setLearningRate(0.1);
          root.setValues({reinterpret_cast<const kj::byte*>(sums.data()), 4 * sums.size()});
        },
        sums.size() / 2 + 64);
    coordinator.ask(shard, request, 3600s, [&answer](const auto& pushed) { answer = pushed; });
    run(100ms);
  }
  Result<Message<schema::Committed>> commit(std::uint64_t iteration,
                                            const std::vector<std::uint64_t>& groups) {
    return simulation.call(shard, Message<schema::Commit>::make([&](schema::Commit::Builder root) {
                             root.setTerm(3);
                             root.setIteration(iteration);
                             root.setGroups(kj::arrayPtr(groups.data(), groups.size()));
                           }));
  }
  Message<schema::Inventory> adopt(actors::ParameterShard who, std::uint64_t term) {
    return simulation
        .call(who, Message<schema::Adopt>::make([term](auto root) { root.setTerm(term); }))
        .value();
  }
  Floats values(actors::ParameterShard who, std::uint64_t term = 3) {
    const auto pulled = simulation.call(
        who, Message<schema::Pull>::make([term](auto root) { root.setTerm(term); }));
    BOOST_REQUIRE(bool(pulled));
    return pulled->read([](auto read) {
      const auto view = runtime::as_floats(read.getValues());
      return Floats(view.begin(), view.end());
    });
  }
  /// Nothing reaches the standby from now on, or everything does again.
  void cut(bool apart) { simulation.partition(node, other, apart); }

  std::string mode_, layers_;
  std::uint64_t count;
  const NodeId other = simulation.add_node("other", actors::training_types());
  StandbyKeeper* keeper = nullptr;
  actors::ParameterShard shard, standby;
  std::optional<Result<Message<schema::Replicated>>> replicated;
};

}  // namespace slime::tests
