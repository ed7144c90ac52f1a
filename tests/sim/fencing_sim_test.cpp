// What a coordinator or a writer that was declared dead still says: refused by the stores.
#include <boost/test/unit_test.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "storage/checkpoint_store.hpp"
#include "storage/newest_valid.hpp"
#include "tests/sim/training_job.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using runtime::AnyMessage;
using runtime::Message;
using runtime::Verdict;
using storage::CheckpointId;
using storage::CheckpointStore;
using storage::OpenMode;

namespace fencing_sim_test {

/// A message that was on its way, and to whom.
struct Held {
  ActorAddress to;
  AnyMessage message;
};

/// A job of ten iterations that saves every third and keeps one. Of the second checkpoint, one kind
/// of message is held up, as if its sender was stopped just before it sent it.
struct Fencing : SmallData {
  template <class T>
  void hold_second() {
    job.simulation().observe([this](const runtime::Delivery& delivery) {
      committed += delivery.message.type == runtime::type_id<schema::CheckpointCommitted>();
      if (held || committed != 1 || delivery.message.type != runtime::type_id<T>())
        return Verdict::deliver;
      held.emplace(Held{delivery.to, delivery.message});
      return Verdict::drop;
    });
    BOOST_REQUIRE(job.simulation().run_until([this] { return held.has_value(); }, 600s));
  }
  /// Says it now.
  Error answer_to_held() {
    std::optional<AnyMessage> answer;
    job.simulation().ask(held->to, held->message, 60s,
                         [&](const AnyMessage& any) { answer = any; });
    BOOST_REQUIRE(job.simulation().run_until([&] { return answer.has_value(); }, 120s));
    const auto failure = runtime::failure_of(*answer);
    return failure ? *failure : Error{Errc{}, ""};
  }
  Message<schema::Progress> finish() {
    const auto progress = job.run(3600s);
    BOOST_REQUIRE(progress.has_value());
    progress->read([](schema::Progress::Reader read) {
      BOOST_TEST((read.getState() == schema::JobState::FINISHED),
                 read.getFailure().getContext().cStr());
      BOOST_TEST(read.getLastCheckpoint() == 10);
    });
    return *progress;
  }
  std::vector<CheckpointId> listed() const {
    const auto store = CheckpointStore::open(path() / "checkpoints" / "head", OpenMode::read_only);
    for (const CheckpointId id : store->list())
      BOOST_TEST(bool(storage::verify(path() / "checkpoints", "head", id)), to_string(id));
    return store->list();
  }
  /// Runs until a message of type `T` passes.
  template <class T>
  void wait_for() {
    const auto seen = std::make_shared<bool>(false);
    job.simulation().observe([seen](const runtime::Delivery& delivery) {
      *seen = *seen || delivery.message.type == runtime::type_id<T>();
      return Verdict::deliver;
    });
    BOOST_REQUIRE(job.simulation().run_until([&seen] { return *seen; }, 600s));
  }

  TrainingJob job{8, {}, {.checkpoint_every = 3, .keep = 1}, *this};
  int committed = 0;
  std::optional<Held> held;
};

}  // namespace fencing_sim_test

BOOST_FIXTURE_TEST_SUITE(fencing_sim_test, Fencing)

// Goal: the manifest of a coordinator that was stopped makes no checkpoint, nor removes the one
// that its successor would roll back to, once that has looked at the store, though it has not
// written anything yet.
BOOST_AUTO_TEST_CASE(a_stopped_coordinator_s_late_manifest_is_refused) {
  hold_second<schema::CommitCheckpoint>();
  job.kill_coordinator();
  wait_for<schema::NewestLoaded>();
  const auto before = listed();
  BOOST_TEST((before == std::vector<CheckpointId>{{1, 3}}));
  const Error refused = answer_to_held();
  BOOST_TEST((refused.code == Errc::stale), refused.context);
  BOOST_TEST(refused.context.find("has taken it over") != std::string::npos, refused.context);
  BOOST_TEST((listed() == before));
  BOOST_REQUIRE(bool(job.simulation().kill_actor(job.find("shard/0").value(),
                                                 {Errc::unavailable, "by the test"})));
  BOOST_TEST(told(finish(), "rolling back from iteration"));
  BOOST_TEST(listed().back().iteration == 10u);
  BOOST_TEST(listed().back().term > 1u);
}

// Goal: a part that was on its way when its coordinator was replaced does not enter the store any
// more once the successor has opened that.
BOOST_AUTO_TEST_CASE(a_late_part_is_refused) {
  hold_second<schema::WritePart>();
  job.kill_coordinator();
  wait_for<schema::CheckpointCommitted>();
  const Error refused = answer_to_held();
  BOOST_TEST((refused.code == Errc::stale), refused.context);
  finish();
  for (const std::string node : {"shard-0", "shard-1"}) {
    const auto store = CheckpointStore::open(path() / "checkpoints" / node, OpenMode::read_only);
    BOOST_TEST(store->fenced_term() > 1u);
  }
}

BOOST_AUTO_TEST_SUITE_END()
