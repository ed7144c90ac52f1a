// What the workers say of themselves, and what the coordinator makes of it before it starts.
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "tests/sim/training_job.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using runtime::Message;

namespace {

/// A worker that says of itself what it is told to.
class Stranger final : public runtime::Actor<actors::WorkerProtocol> {
 public:
  Stranger(runtime::Host& host, Message<schema::Description> says)
      : Actor(host), says_(std::move(says)) {
    on(&Stranger::describe);
  }

 private:
  void describe(const Message<schema::Describe>&, runtime::Reply<schema::Description> reply) {
    reply.send(says_);
  }

  Message<schema::Description> says_;
};

/// What every node can run, but with a worker of its own making where `strange` says so.
runtime::Catalogue with_strangers(std::function<bool(NodeId)> strange,
                                  const schema::Description::Reader& says) {
  const auto description = Message<schema::Description>::copy(says);
  auto catalogue = actors::training_types();
  const auto worker = std::ranges::find(catalogue, "worker", &runtime::ActorType::name);
  worker->make = [strange, description, usual = worker->make](runtime::Host& host,
                                                              const runtime::AnyMessage& spec) {
    if (!strange(host.self().node)) return usual(host, spec);
    return std::unique_ptr<runtime::Behaviour>(std::make_unique<Stranger>(host, description));
  };
  return catalogue;
}

struct SmallData : TempDir {
  SmallData() { write_small_data(*this); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(coordinator_agreement_test, SmallData)

// Goal: one worker with other data is refused, be it the first, and not all the others.
// Method: the first node of the cluster's workers has one; another node takes its place.
BOOST_AUTO_TEST_CASE(a_worker_with_other_data_than_the_most_is_refused) {
  const auto says = Message<schema::Description>::make([](schema::Description::Builder root) {
    root.setSamples(103);
    root.setTestSamples(20);
    root.setInputs(4);
    root.setDataHash(1);
  });
  std::optional<NodeId> first;
  says.read([&](schema::Description::Reader read) {
    TrainingJob job(1, {}, {.workers = 3, .speeds = {}}, *this,
                    with_strangers([&first](NodeId node) { return first == node; }, read));
    first = job.nodes()[0];
    job.run(600s)->read([](schema::Progress::Reader progress) {
      BOOST_TEST((progress.getState() == schema::JobState::FINISHED),
                 progress.getFailure().getContext().cStr());
      unsigned refused = 0;
      for (const auto event : progress.getEvents())
        refused += std::string_view(event.getText().cStr()).find("its data are not the others'") !=
                   std::string_view::npos;
      BOOST_TEST(refused == 1u);
      BOOST_TEST(progress.getRollbacks() == 0u);
    });
  });
}

// Goal: a model whose shards could not be pulled is refused before any shard is started.
BOOST_AUTO_TEST_CASE(
    shards_that_are_too_large_for_a_message_fail_the_job_and_say_how_many_would_do) {
  const auto says = Message<schema::Description>::make([](schema::Description::Builder root) {
    root.setSamples(103);
    root.setTestSamples(20);
    root.setInputs(100'000);
  });
  says.read([&](schema::Description::Reader read) {
    TrainingJob job(1, {}, {}, *this, with_strangers([](NodeId) { return true; }, read));
    job.run(60s)->read([](schema::Progress::Reader progress) {
      BOOST_TEST((progress.getState() == schema::JobState::FAILED));
      // 300,012,003 parameters of 8 bytes in messages of 255 MiB.
      const std::string why = progress.getFailure().getContext().cStr();
      BOOST_TEST(why.find("set shards to at least 9") != std::string::npos, why);
    });
    BOOST_TEST(!job.find("shard/0").has_value());
  });
}

BOOST_AUTO_TEST_SUITE_END()
