#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/wire/lists.hpp"
#include "tests/actors/training/training_stage.hpp"

namespace slime::tests {

using Grant = Message<schema::Grant>;
using Blocks = std::vector<std::uint32_t>;

inline Grant lease(const Blocks& blocks, std::uint64_t group = 0, std::uint64_t iteration = 0) {
  return Grant::make([&](schema::Grant::Builder root) {
    auto lease = root.initCompute();
    lease.setBlocks(kj::arrayPtr(blocks.data(), blocks.size()));
    lease.setGroup(group);
    lease.setIteration(iteration);
    lease.setLearningRate(0.1);
  });
}
inline Grant seal() {
  return Grant::make([](auto root) { root.setSeal(); });
}

/// A worker on the small data and a real shard; the test is the coordinator.
struct Working : TrainingStage {
  Working() { write_small_data(*this); }

  Message<schema::WorkerSpec> spec(double sample_us) {
    return Message<schema::WorkerSpec>::make([&](schema::WorkerSpec::Builder root) {
      fill_small_job(root.initJob(), *this, mode);
      root.getJob().setDevice(schema::Device::CPU);
      root.getJob().getEmulate().setSampleUs(sample_us);
    });
  }
  void start(double sample_us = 0) {
    worker = {spawn("worker", spec(sample_us))};
    shard = {spawn("parameter_shard",
                   Message<schema::ShardSpec>::make([&](schema::ShardSpec::Builder root) {
                     fill_small_job(root.initJob(), *this, mode);
                     root.setTerm(1);
                     root.setInputs(4);
                     root.setSamples(103);
                     root.setCount(small_job_parameters);
                   }))};
  }
  Result<Message<schema::Begun>> begin(std::uint64_t term) {
    const auto request = Message<schema::Begin>::make([&](schema::Begin::Builder root) {
      root.setTerm(term);
      runtime::write_address(root.initCoordinator(), coordinator_address);
      auto place = root.initShards(1)[0];
      runtime::write_address(place.initAddress(), shard.address);
      place.setCount(small_job_parameters);
    });
    return simulation.call(worker, request);
  }
  void grant(const Grant& granted) {
    coordinator.grant(granted);
    run();
  }
  /// Blocks of the groups that the shard has.
  std::map<std::uint64_t, Blocks> staged() {
    const auto inventory = simulation.call(shard, Message<schema::Adopt>::make()).value();
    return inventory.read([](schema::Inventory::Reader read) {
      std::map<std::uint64_t, Blocks> groups;
      for (const auto group : read.getGroups())
        groups[group.getGroup()] = runtime::to_vector<std::uint32_t>(group.getBlocks());
      return groups;
    });
  }

  std::string mode = "bsp";
  actors::Worker worker;
  actors::ParameterShard shard;
};

}  // namespace slime::tests
