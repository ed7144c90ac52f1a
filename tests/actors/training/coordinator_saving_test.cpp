#include <boost/test/unit_test.hpp>

#include "actors/training/coordinator.hpp"
#include "tests/sim/training_job.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using runtime::Message;
using runtime::Verdict;

namespace coordinator_saving_test {

template <class T>
bool is(const runtime::Delivery& delivery) {
  return delivery.message.type == runtime::type_id<T>();
}

/// A job of ten iterations on two shards that saves every third and the last.
struct Saving : SmallData {
  TrainingJob job{8, {}, {.checkpoint_every = 3}, *this};

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
};

}  // namespace coordinator_saving_test

BOOST_FIXTURE_TEST_SUITE(coordinator_saving_test, Saving)

// Goal: what an attempt failed with does not end the next one. Method: of the last checkpoint, the
// copies of both shards are lost, so that both tell of their failure at about the same time.
BOOST_AUTO_TEST_CASE(an_attempt_does_not_fail_by_the_one_before_it) {
  int committed = 0, lost = 0, asked = 0;
  job.simulation().observe([&](const runtime::Delivery& delivery) {
    if (is<schema::CheckpointCommitted>(delivery)) ++committed;
    if (committed < 3) return Verdict::deliver;
    if (is<schema::Save>(delivery)) ++asked;
    return is<schema::WritePart>(delivery) && ++lost <= 2 ? Verdict::drop : Verdict::deliver;
  });
  finish();
  BOOST_TEST(asked == 2 * 2);
}

// Goal: an answer that comes after a rollback does not move the job to a checkpoint that its shards
// were not started from. Method: nobody hears that the last checkpoint was committed, so the next
// attempt asks which is the newest; that question is lost, a shard dies before it is asked again,
// and the answer comes while the new shards load the checkpoint before.
BOOST_AUTO_TEST_CASE(what_is_newest_is_not_taken_after_a_rollback) {
  int committed = 0, questions = 0, answers = 0;
  job.simulation().observe([&](const runtime::Delivery& delivery) {
    if (is<schema::CheckpointCommitted>(delivery) && ++committed > 3 && committed <= 3 + 5)
      return Verdict::drop;
    if (is<schema::LoadNewest>(delivery) && ++questions == 2) return Verdict::drop;
    if (is<schema::NewestLoaded>(delivery)) ++answers;
    const bool early = is<schema::Prepared>(delivery) && questions >= 2 && answers < 2;
    return early ? Verdict::drop : Verdict::deliver;
  });
  BOOST_REQUIRE(job.simulation().run_until([&] { return questions == 2; }, 3600s));
  job.simulation().run_until(job.simulation().now() + 119s);
  BOOST_REQUIRE(bool(job.simulation().kill_actor(job.find("shard/0").value(),
                                                 {Errc::unavailable, "by the test"})));
  finish().read([](schema::Progress::Reader read) {
    BOOST_TEST(read.getRollbacks() == 1u);
    BOOST_TEST(read.getLostIterations() == 1u);
  });
  BOOST_TEST(answers == 2);
}

BOOST_AUTO_TEST_SUITE_END()
