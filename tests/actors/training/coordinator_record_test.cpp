#include <boost/test/unit_test.hpp>
#include <map>
#include <vector>

#include "actors/training/coordinator.hpp"
#include "tests/sim/training_job.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using runtime::Message;

namespace coordinator_record_test {

struct Recording : TempDir {
  Recording() { write_small_data(*this); }

  /// All that the coordinator there is tells of.
  static std::vector<Message<schema::RecordEntry>> record_of(TrainingJob& job) {
    std::vector<Message<schema::RecordEntry>> entries;
    const actors::Coordinator coordinator{job.find("coordinator").value()};
    std::uint64_t from = 0;
    for (bool more = true; more;)
      job.simulation()
          .call(coordinator,
                Message<schema::GetRecord>::make([&](auto root) { root.setFrom(from); }))
          .value()
          .read([&](schema::Record::Reader read) {
            for (const auto entry : read.getEntries())
              entries.push_back(Message<schema::RecordEntry>::copy(entry));
            BOOST_TEST(read.getLost() == 0u);
            from = read.getNext();
            more = read.getMore();
          });
    return entries;
  }
  static std::map<schema::RecordEntry::Which, unsigned> kinds_of(
      const std::vector<Message<schema::RecordEntry>>& entries) {
    std::map<schema::RecordEntry::Which, unsigned> kinds;
    for (const auto& entry : entries) ++kinds[entry.read([](auto read) { return read.which(); })];
    return kinds;
  }
  static void run(TrainingJob& job, Duration duration) {
    job.simulation().run_until(job.simulation().now() + duration);
  }
};

}  // namespace coordinator_record_test

BOOST_FIXTURE_TEST_SUITE(coordinator_record_test, Recording)

BOOST_AUTO_TEST_CASE(every_sample_and_evaluation_of_a_run_is_in_its_record) {
  for (const char* mode : {"bsp", "a_dsp"}) {
    TrainingJob job(1, {}, {.mode = mode, .checkpoint_every = 3}, *this);
    const auto progress = job.run(600s);
    BOOST_REQUIRE(progress.has_value());
    const auto entries = record_of(job);
    std::uint64_t samples = 0;
    double last_s = 0, accuracy = 0;
    for (const auto& entry : entries)
      entry.read([&](schema::RecordEntry::Reader read) {
        BOOST_TEST(read.getRunSeconds() >= last_s);
        last_s = read.getRunSeconds();
        if (read.isEvaluation()) accuracy = read.getEvaluation().getAccuracy();
        if (!read.isGroup()) return;
        samples += read.getGroup().getSamples();
        BOOST_TEST(read.getGroup().getLead() <= 4u);
        BOOST_TEST(read.getGroup().getComputeSeconds() > 0);
      });
    BOOST_TEST(samples == 2u * 103);
    progress->read([&](schema::Progress::Reader read) {
      BOOST_TEST(accuracy == read.getTestAccuracy());
      BOOST_TEST(last_s <= read.getRunSeconds() + 1e-9);
    });
    auto kinds = kinds_of(entries);
    BOOST_TEST(kinds[schema::RecordEntry::STARTED] == 1u);
    BOOST_TEST(kinds[schema::RecordEntry::JOINED] == 3u);
    BOOST_TEST(kinds[schema::RecordEntry::EVALUATION] == 2u);
    BOOST_TEST(kinds[schema::RecordEntry::CHECKPOINT] >= 1u);
    BOOST_TEST(kinds[schema::RecordEntry::SHARES] >= 1u);
    BOOST_TEST(kinds[schema::RecordEntry::GONE] == 0u);
  }
}

BOOST_AUTO_TEST_CASE(deaths_and_rollbacks_are_told_with_their_reason) {
  TrainingJob job(1, {}, {.epochs = 1000}, *this);
  run(job, 5s);
  const auto end = [&job](const std::string& actor) {
    BOOST_TEST(bool(
        job.simulation().kill_actor(job.find(actor).value(), {Errc::unavailable, "by the test"})));
    run(job, 5s);
  };
  end("worker/1");
  end("shard/0");
  std::string gone, rolled_back;
  for (const auto& entry : record_of(job))
    entry.read([&](schema::RecordEntry::Reader read) {
      if (read.isGone()) {
        BOOST_TEST(read.getGone().getWorker() == 1u);
        gone = read.getGone().getReason().cStr();
      }
      if (!read.isRolledBack()) return;
      BOOST_TEST(read.getRolledBack().getFromIteration() > 0u);
      BOOST_TEST(read.getRolledBack().getToIteration() == 0u);
      rolled_back = read.getRolledBack().getReason().cStr();
    });
  BOOST_TEST(gone.find("by the test") != std::string::npos);
  BOOST_TEST(rolled_back.find("shard 0 died") != std::string::npos);
}

// Goal: decisions come with the loads on which they rest, once there are any.
BOOST_AUTO_TEST_CASE(a_decision_is_told_with_what_was_known) {
  TrainingJob job(1, {}, {.epochs = 8, .speeds = {1, 1, 0.25}}, *this);
  BOOST_REQUIRE(job.run(600s).has_value());
  bool measured = false;
  for (const auto& entry : record_of(job))
    entry.read([&](schema::RecordEntry::Reader read) {
      if (!read.isShares()) return;
      std::uint32_t blocks = 0;
      for (const auto share : read.getShares().getWorkers()) {
        blocks += share.getBlocks();
        measured = measured || (share.getMeasured() && share.getSecondsPerSample() > 0);
      }
      BOOST_TEST(blocks == 6u);
    });
  BOOST_TEST(measured);
}

BOOST_AUTO_TEST_SUITE_END()
