#include "tools/slime/job_watch.hpp"

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <sstream>

#include "tests/cluster/tiny_job.hpp"
#include "tests/tools/slime/one_node_cluster.hpp"
#include "tools/slime/settings/job_settings.hpp"

using namespace slime;
using namespace slime::tests;
using namespace slime::tools;
using namespace std::chrono_literals;

namespace job_watch_test {

/// A job on a cluster of one node, watched.
struct Watched {
  explicit Watched(std::vector<std::string> roles) : cluster(std::move(roles)) {}

  Result<JobEnd> run(std::vector<std::string> sets, JobWatch::Settings settings,
                     bool submitted = true) {
    sets.insert(sets.end(), {"workers=1", "shards=1"});
    const auto job = read_settings({tiny.file(), environment, sets})->job;
    JobClient client(cluster.access(), "tiny");
    if (submitted) BOOST_REQUIRE(bool(client.submit(job, false)));
    ProgressPrinter printer(err, ProgressPrinter::Style::lines);
    return job.read([&](schema::JobSpec::Reader spec) {
      return JobWatch(cluster.access(), client, spec, signals, {out, err, environment}, printer,
                      std::move(settings))
          .run();
    });
  }

  StopSignals signals;  // Before the cluster's threads.
  OneNodeCluster cluster;
  const TinyJob tiny{cluster};
  const Environment environment;
  std::ostringstream out, err;
};

struct Working : Watched {
  Working() : Watched({"head", "worker", "shard"}) {}
};
struct Deserted : Watched {
  Deserted() : Watched({"head"}) {}
};

}  // namespace job_watch_test

BOOST_AUTO_TEST_SUITE(job_watch_test)

BOOST_FIXTURE_TEST_CASE(a_job_is_followed_to_its_end, Working) {
  std::uint64_t samples = 0;
  const auto end = run({}, {.news = {}, .record = [&samples](const RecordPiece& piece) {
                              piece.record.read([&samples](schema::Record::Reader read) {
                                for (const auto entry : read.getEntries())
                                  if (entry.isGroup()) samples += entry.getGroup().getSamples();
                              });
                            }});
  BOOST_REQUIRE(bool(end));
  BOOST_TEST(samples == 3840U);
  BOOST_TEST(end->finished);
  BOOST_TEST(!end->signal);
  end->progress.read([](auto read) { BOOST_TEST(read.getIteration() == 60U); });
  BOOST_TEST(err.str().find("training from iteration 0 of 60") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_failed_job_gives_its_reason_once, Working) {
  const auto end = run(
      {"data.train=[\"" + tiny.labels().string() + "\", \"" + tiny.images().string() + "\"]"}, {});
  BOOST_REQUIRE(!end);
  BOOST_TEST((end.error().code == Errc::corruption));
  BOOST_TEST(end.error().context.find("magic number") != std::string::npos);
  BOOST_TEST(err.str().find("magic number") == std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_job_for_which_nobody_works_is_given_up, Deserted) {
  const auto end = run({}, {.news = {}, .interval = 20ms, .idle_max = 300ms, .idle_told = 60ms});
  BOOST_REQUIRE(!end);
  BOOST_TEST((end.error().code == Errc::timeout));
  const std::string missing = "no node with the role \"worker\" among head (head); ";
  BOOST_TEST(end.error().context.find(missing) == 0U, end.error().context);
  // Once, and long before.
  const auto told = err.str().find(missing);
  BOOST_TEST(told != std::string::npos);
  BOOST_TEST(err.str().find(missing, told + 1) == std::string::npos, err.str());
}

BOOST_FIXTURE_TEST_CASE(a_signal_stops_the_job_in_order, Deserted) {
  ::kill(::getpid(), SIGTERM);
  const auto end = run({}, {});
  BOOST_REQUIRE(bool(end));
  BOOST_TEST(end->stopped);
  BOOST_TEST(!end->finished);
  BOOST_TEST(end->signal.value_or(0) == SIGTERM);
}

BOOST_FIXTURE_TEST_CASE(a_second_signal_ends_the_watch_of_a_job_that_does_not_stop, Deserted) {
  ::kill(::getpid(), SIGINT);
  ::kill(::getpid(), SIGTERM);
  JobWatch::Settings settings;
  settings.same_signal_within = Duration::zero();
  const auto end = run({}, settings, false);
  BOOST_REQUIRE(bool(end));
  BOOST_TEST(end->signal.has_value());
  BOOST_TEST(!end->stopped);
}

BOOST_FIXTURE_TEST_CASE(a_signal_that_comes_twice_at_once_is_one, Deserted) {
  ::kill(::getpid(), SIGINT);
  ::kill(::getpid(), SIGTERM);
  const Instant start = monotonic_now();
  BOOST_TEST(bool(run({}, {.news = {}, .interval = 20ms, .grace = 300ms}, false)));
  BOOST_TEST((monotonic_now() - start >= 300ms));
}

// Goal: a batch system's SIGTERM after its warning is not the impatient second one. Method: of a
// job that does not stop, who takes them for two ends the watch at once.
BOOST_FIXTURE_TEST_CASE(an_order_to_end_that_follows_a_warning_is_a_first_one, Deserted) {
  ::kill(::getpid(), SIGUSR1);
  ::kill(::getpid(), SIGTERM);
  JobWatch::Settings settings{.news = {}, .interval = 20ms, .grace = 300ms};
  settings.same_signal_within = Duration::zero();
  const Instant start = monotonic_now();
  const auto end = run({}, settings, false);
  BOOST_REQUIRE(bool(end));
  BOOST_TEST(end->signal.value_or(0) == SIGTERM);
  BOOST_TEST((monotonic_now() - start >= 300ms));
}

BOOST_FIXTURE_TEST_CASE(the_patience_for_a_job_that_does_not_stop_ends, Deserted) {
  ::kill(::getpid(), SIGINT);
  const auto end = run({}, {.news = {}, .interval = 20ms, .grace = 50ms}, false);
  BOOST_REQUIRE(bool(end));
  BOOST_TEST(end->signal.value_or(0) == SIGINT);
}

BOOST_FIXTURE_TEST_CASE(a_coordinator_that_never_answers_is_given_up, Deserted) {
  const auto end = run({}, {.news = {}, .interval = 20ms, .silence_max = 50ms}, false);
  BOOST_REQUIRE(!end);
  BOOST_TEST(end.error().context.find("has not answered") != std::string::npos);
}

// Goal: whether the head was started again is asked for as long as it may be, and no longer.
BOOST_FIXTURE_TEST_CASE(a_cluster_that_is_over_ends_the_watch, Deserted) {
  int looked = 0;
  JobWatch::Settings settings;
  settings.interval = 1ms;
  settings.look_again = [&looked]() -> Result<ClusterAccess> {
    if (++looked < 3) return Error{Errc::unavailable, "nobody listens there"};
    return Error{Errc::not_found, "another head is there"};
  };
  const auto end = run({}, std::move(settings), false);
  BOOST_REQUIRE(!end);
  BOOST_TEST((end.error().code == Errc::not_found));
  BOOST_TEST(looked == 3);
}

BOOST_FIXTURE_TEST_CASE(bad_news_end_the_watch, Deserted) {
  const auto end = run({}, {.news = []() -> Result<std::vector<std::string>> {
                         return Error{Errc::unavailable, "worker-0 will not start again"};
                       }});
  BOOST_REQUIRE(!end);
  BOOST_TEST(end.error().context == "worker-0 will not start again");
}

BOOST_FIXTURE_TEST_CASE(somebody_else_may_stop_the_job, Deserted) {
  bool stopped = false;
  const auto end = run({}, {.news = [&]() -> Result<std::vector<std::string>> {
                         if (!std::exchange(stopped, true))
                           BOOST_TEST(bool(JobClient(cluster.access(), "tiny").stop()));
                         return std::vector<std::string>{};
                       }});
  BOOST_REQUIRE(!end);
  BOOST_TEST(end.error().context.find("somebody else stopped the job") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
