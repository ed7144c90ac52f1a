#include "tools/slime/run_report.hpp"

#include <boost/test/unit_test.hpp>

#include "runtime/wire/message.hpp"

using namespace slime;
using namespace slime::tools;
using namespace std::chrono_literals;

namespace run_report_test {

using Job = runtime::Message<schema::JobSpec>;
using Progress = runtime::Message<schema::Progress>;

Job some_job() {
  return Job::make([](schema::JobSpec::Builder root) {
    root.setName("mnist");
    root.setWorkers(2);
    root.setShards(3);
    root.setEpochs(4);
  });
}

Progress some_progress() {
  return Progress::make([](schema::Progress::Builder root) {
    root.setIteration(50);
    root.setIterations(200);
    root.setEpoch(1);
    root.setSamples(5000);
    root.setRunSeconds(10);
    root.setRunSamples(2500);
    root.setTestAccuracy(0.8);
    root.setTestLoss(0.6);
    root.setIdealSeconds(8);
    root.setParametersSha256("ab");
    root.setResumedFrom(25);
    root.setCheckpointsLate(2);
    root.setCheckpointLostSeconds(0.25);
    root.setCheckpointWriteSeconds(3);
    root.setCheckpointIntervalSeconds(90);
    root.setSecondsBetweenFailures(86400);
    root.setCopiedCheckpoint(40);
    root.setCopiesFailed(3);
    auto targets = root.initTargets(2);
    targets[0].setAccuracy(0.75);
    targets[0].setSeconds(7);
    targets[1].setAccuracy(0.9);
    auto workers = root.initWorkers(2);
    workers[0].setAlive(true);
    workers[0].setSamples(2000);
    workers[0].setShare(0.75);
    workers[0].setIdleFraction(0.1);
    workers[1].setWorker(1);
    workers[1].setSamples(500);
    workers[1].setShare(0.25);
    workers[1].setIdleFraction(0.9);
    auto usage = workers[1].initUsage();
    usage.setCpuSeconds(1.5);
    usage.setStealFraction(0.25);
    usage.setRunQueue(3);
    usage.setMemoryBytes(4096);
    usage.setBytesIn(20);
    usage.setBytesOut(10);
  });
}

template <class Use>
void with_both(const Progress& progress, Use&& use) {
  some_job().read([&](auto job) { progress.read([&](auto read) { use(job, read); }); });
}

}  // namespace run_report_test

BOOST_AUTO_TEST_SUITE(run_report_test)

BOOST_AUTO_TEST_CASE(the_rate_is_that_of_the_last_two_seconds) {
  RateMeter rate;
  Instant now{};
  BOOST_TEST(rate.per_second() == 0);
  for (int i = 0; i <= 100; ++i, now += 100ms)
    rate.add(static_cast<std::uint64_t>(i < 50 ? i : 50 + 10 * (i - 50)), now);
  BOOST_TEST(rate.per_second() == 100, boost::test_tools::tolerance(0.05));
  // After a rollback the samples are fewer than before.
  rate.add(10, now);
  BOOST_TEST(rate.per_second() == 0);
  rate.add(20, now + 1s);
  BOOST_TEST(rate.per_second() == 10, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(a_running_job_shows_its_share_of_the_work_and_what_is_left) {
  with_both(some_progress(), [](auto job, auto progress) {
    const RunProgress shown = run_progress(job, progress, 250);
    BOOST_TEST(shown.epoch == 2U);
    BOOST_TEST(shown.epochs == 4U);
    BOOST_TEST(shown.iteration == 50U);
    BOOST_TEST(shown.samples_per_second == 250);
    BOOST_TEST((shown.shares == std::vector<double>{0.75, 0.25}));
    // Of the living only.
    BOOST_TEST(shown.idle_fraction == 0.1);
    // 150 iterations of 100 samples at 4 ms each.
    BOOST_TEST(shown.seconds_left.value() == 60, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(shown.test_accuracy.value() == 0.8);
    BOOST_TEST(shown.checkpoint_seconds.value() == 90);
  });
}

BOOST_AUTO_TEST_CASE(what_is_not_known_yet_is_absent) {
  with_both(Progress(), [](auto job, auto progress) {
    const RunProgress shown = run_progress(job, progress, 0);
    BOOST_TEST(shown.epoch == 1U);
    BOOST_TEST(!shown.seconds_left);
    BOOST_TEST(!shown.test_accuracy);
    BOOST_TEST(!shown.checkpoint_seconds);
    const RunResult result = run_result(job, progress);
    BOOST_TEST(!result.makespan_ratio);
    BOOST_TEST(!result.resumed_from);
    BOOST_TEST(!result.checkpoints.copied);
    BOOST_TEST(!result.checkpoints.lost_seconds);
    BOOST_TEST(!result.checkpoints.interval_seconds);
  });
}

BOOST_AUTO_TEST_CASE(the_result_has_every_number_of_the_finished_job) {
  with_both(some_progress(), [](auto job, auto progress) {
    const RunResult result = run_result(job, progress);
    BOOST_TEST(result.name == "mnist");
    BOOST_TEST(result.mode == "bsp");
    BOOST_TEST(result.balance == "adapt_fr");
    BOOST_TEST(result.workers == 2U);
    BOOST_TEST(result.shards == 3U);
    BOOST_TEST(result.iterations == 200U);
    BOOST_TEST(result.samples == 5000U);
    BOOST_TEST(result.run_samples == 2500U);
    BOOST_TEST(result.makespan_ratio.value() == 1.25);
    BOOST_TEST(result.resumed_from.value() == 25U);
    BOOST_TEST(result.checkpoints.copied.value() == 40U);
    BOOST_TEST(result.checkpoints.copies_failed == 3U);
    BOOST_TEST(result.seconds_to_accuracy.size() == 2U);
    BOOST_TEST(result.seconds_to_accuracy[0].second.value() == 7);
    BOOST_TEST(!result.seconds_to_accuracy[1].second);
    BOOST_TEST(result.workers_detail[0].share == 0.8);
    BOOST_TEST(result.workers_detail[1].id == 1U);
    BOOST_TEST(!result.workers_detail[0].usage);
    const WorkerUsage usage = result.workers_detail[1].usage.value();
    BOOST_TEST(usage.cpu_seconds == 1.5);
    BOOST_TEST(usage.steal_fraction == 0.25);
    BOOST_TEST(usage.run_queue == 3U);
    BOOST_TEST(usage.memory_bytes == 4096U);
    BOOST_TEST(usage.bytes_in == 20U);
    BOOST_TEST(usage.bytes_out == 10U);
  });
}

BOOST_AUTO_TEST_SUITE_END()
