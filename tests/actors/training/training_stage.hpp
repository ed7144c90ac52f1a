#pragma once

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/training/protocols.hpp"
#include "actors/training/types.hpp"
#include "runtime/actor/actor.hpp"
#include "runtime/simulation/simulation.hpp"
#include "runtime/wire/address.hpp"
#include "tests/sim/training_job.hpp"

namespace slime::tests {

using runtime::Message;
using namespace std::chrono_literals;

/// Stands where an actor of the job expects its coordinator: keeps what it is told and asked,
/// answers workers' questions with the grants that a test puts in, and seals under `seal_as`.
class Listener final : public runtime::Actor<actors::CoordinatorProtocol> {
 public:
  explicit Listener(runtime::Host& host) : Actor(host) {
    on(&Listener::next);
    on(&Listener::seal);
    on(&Listener::complete);
    on(&Listener::evaluated);
    on(&Listener::part_saved);
    on(&Listener::loads);
    on(&Listener::shares);
  }

  using Actor::ask;

  /// Answers the question that is waiting, or the next one; as often as that is asked.
  void grant(Message<schema::Grant> grant) {
    grants_.push_back(std::move(grant));
    answer();
  }

  std::vector<Message<schema::Next>> questions;  ///< Without repetitions.
  std::vector<Message<schema::Seal>> seals;
  std::vector<Message<schema::Complete>> completions;
  std::vector<Message<schema::Evaluated>> scores;
  std::vector<Message<schema::PartSaved>> parts;
  std::vector<Message<schema::Loads>> loads_told;
  std::vector<Message<schema::Shares>> shares_told;
  std::uint64_t seal_as = 1;

 private:
  template <class T>
  using Reply = runtime::Reply<T>;

  void answer() {
    if (!waiting_ || grants_.empty()) return;
    granted_ = grants_.front();
    grants_.pop_front();
    waiting_->send(*granted_);
    waiting_.reset();
  }
  void next(const Message<schema::Next>& question, Reply<schema::Grant> reply) {
    const auto key = [](const Message<schema::Next>& asked) {
      return asked.read([](auto read) { return std::pair(read.getTerm(), read.getSequence()); });
    };
    const bool again = !questions.empty() && key(questions.back()) == key(question);
    // Who asks again did not get the answer.
    if (again && granted_) return reply.send(*granted_);
    if (!again) questions.push_back(question);
    granted_.reset();
    waiting_.emplace(std::move(reply));
    answer();
  }
  void seal(const Message<schema::Seal>& request, Reply<schema::Sealed> reply) {
    seals.push_back(request);
    reply.send(Message<schema::Sealed>::make([this](auto root) { root.setGroup(seal_as); }));
  }
  void complete(const Message<schema::Complete>& request, Reply<schema::Completed> reply) {
    completions.push_back(request);
    reply.send(Message<schema::Completed>::make());
  }
  void evaluated(const Message<schema::Evaluated>& request, Reply<schema::EvaluationTaken> reply) {
    scores.push_back(request);
    reply.send(Message<schema::EvaluationTaken>::make());
  }
  void part_saved(const Message<schema::PartSaved>& request, Reply<schema::PartSavedTaken> reply) {
    parts.push_back(request);
    reply.send(Message<schema::PartSavedTaken>::make());
  }
  void loads(const Message<schema::Loads>& message) { loads_told.push_back(message); }
  void shares(const Message<schema::Shares>& message) { shares_told.push_back(message); }

  std::deque<Message<schema::Grant>> grants_;
  std::optional<Message<schema::Grant>> granted_;  ///< To the newest question.
  std::optional<Reply<schema::Grant>> waiting_;
};

/// One simulated node with the job's actor types, and a listener in the coordinator's place.
struct TrainingStage : TempDir {
  /// A new listener, alive until its actor ends.
  Listener& listen() {
    Listener* made = nullptr;
    const runtime::ActorType type{"listener", runtime::Turns::computing,
                                  [&made](runtime::Host& host, const runtime::AnyMessage&) {
                                    auto fresh = std::make_unique<Listener>(host);
                                    made = fresh.get();
                                    return fresh;
                                  }};
    last_listener = simulation.spawn(node, type, {}).value();
    return *made;
  }

  template <class T>
  ActorAddress spawn(const std::string& type, const Message<T>& spec) {
    const auto address = simulation.spawn(node, type, spec.any());
    BOOST_REQUIRE(bool(address));
    run();
    return *address;
  }
  void run(Duration duration = 3s) { simulation.run_until(simulation.now() + duration); }
  template <class T>
  void tell(const ActorAddress& to, const Message<T>& message) {
    simulation.tell(to, message.any());
    run();
  }
  void end(const ActorAddress& actor) {
    BOOST_REQUIRE(bool(simulation.kill_actor(actor, {Errc::unavailable, "the test ends it"})));
    run();
  }

  runtime::Simulation simulation{1};
  const NodeId node = simulation.add_node("node", actors::training_types());
  ActorAddress last_listener;
  Listener& coordinator = listen();
  const ActorAddress coordinator_address = last_listener;
};

/// Softmax regression on what `write_small_data` writes: 103 samples, 24 in an iteration of 6
/// blocks, so that the fifth iteration has 2 blocks, the second of 3 samples.
inline void fill_small_job(schema::JobSpec::Builder job, const TempDir& files,
                           const std::string& mode = "bsp") {
  job.setName("small");
  job.setWorkers(2);
  job.setBatch(24);
  job.setBlock(4);
  job.initSync().setMode(mode);
  job.initBalance();
  job.initModel().initLayers(1).set(0, "dense 3");
  job.initOptimizer();
  job.initCheckpoint();
  job.initEvaluate();
  job.initEmulate();
  auto data = job.initData();
  const auto list = [&files](auto texts, const std::string& name) {
    texts.set(0, (files.path() / (name + "-images")).string());
    texts.set(1, (files.path() / (name + "-labels")).string());
  };
  list(data.initTrain(2), "train");
  list(data.initTest(2), "test");
}
inline constexpr std::uint64_t small_job_parameters = 15;

inline Message<schema::Enlist> enlist(std::uint32_t worker) {
  return Message<schema::Enlist>::make([worker](auto root) { root.setWorker(worker); });
}
inline Message<schema::Forget> forget(std::uint32_t worker) {
  return Message<schema::Forget>::make([worker](auto root) { root.setWorker(worker); });
}

}  // namespace slime::tests
