#include "tools/slime/job_client.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/cluster/tiny_job.hpp"
#include "tests/tools/slime/one_node_cluster.hpp"
#include "tools/slime/settings/job_settings.hpp"

using namespace slime;
using namespace slime::tests;
using namespace slime::tools;

namespace job_client_test {

/// A cluster where a job finds nobody to work for it, and so stays as it was submitted.
struct Idle : OneNodeCluster {
  Idle() : OneNodeCluster({"head"}) {}

  const TinyJob tiny{*this};
  const Environment environment;
  const runtime::Message<schema::JobSpec> job = read_settings({tiny.file(), environment, {}})->job;
};

}  // namespace job_client_test

BOOST_FIXTURE_TEST_SUITE(job_client_test, Idle)

BOOST_AUTO_TEST_CASE(a_job_is_submitted_watched_stopped_and_ended) {
  JobClient client(access(), "tiny");
  BOOST_TEST((client.progress().error().code == Errc::not_found));
  BOOST_TEST((client.stop().error().code == Errc::not_found));
  BOOST_REQUIRE(bool(client.submit(job, false)));
  const auto progress = client.progress();
  BOOST_REQUIRE(bool(progress));
  progress->read([](auto read) { BOOST_TEST((read.getState() == schema::JobState::STARTING)); });
  BOOST_TEST(bool(client.abandoned()));
  BOOST_TEST(bool(client.stop()));
  client.progress()->read(
      [](auto read) { BOOST_TEST((read.getState() == schema::JobState::STOPPED)); });
  client.end();
  BOOST_TEST((JobClient(access(), "tiny").progress().error().code == Errc::not_found));
}

BOOST_AUTO_TEST_CASE(a_name_is_taken_until_its_job_ends) {
  JobClient first(access(), "tiny");
  BOOST_REQUIRE(bool(first.submit(job, false)));
  JobClient second(access(), "tiny");
  BOOST_TEST((second.submit(job, false).error().code == Errc::already_exists));
  first.end();
  BOOST_TEST(bool(second.submit(job, false)));
}

// Goal: whose watch was killed can see the job again, and end it.
BOOST_AUTO_TEST_CASE(another_client_takes_up_a_job_that_runs) {
  JobClient second(access(), "tiny");
  const Status none = second.attach();
  BOOST_TEST((none.error().code == Errc::not_found));
  BOOST_TEST(none.error().context ==
             "attaching to job tiny: no job of that name runs in this cluster");
  JobClient first(access(), "tiny");
  BOOST_REQUIRE(bool(first.submit(job, false)));
  BOOST_REQUIRE(bool(second.attach()));
  BOOST_TEST((second.run() == actors::RunId{}));
  BOOST_TEST(bool(second.stop()));
  first.progress()->read(
      [](auto read) { BOOST_TEST((read.getState() == schema::JobState::STOPPED)); });
  second.end();
  BOOST_TEST((second.attach().error().code == Errc::not_found));
}

// Goal: a finished job does not stand in the way of its next run. Method: its watcher goes without
// ending it, as one that is killed does.
BOOST_AUTO_TEST_CASE(a_job_that_is_over_makes_way_though_nobody_ended_it) {
  JobClient first(access(), "tiny");
  BOOST_REQUIRE(bool(first.submit(job, false)));
  BOOST_REQUIRE(bool(first.stop()));
  JobClient second(access(), "tiny");
  BOOST_TEST(bool(second.submit(job, false)));
  second.progress()->read(
      [](auto read) { BOOST_TEST((read.getState() == schema::JobState::STARTING)); });
}

BOOST_AUTO_TEST_CASE(events_are_told_once) {
  JobClient client(access(), "tiny");
  BOOST_REQUIRE(bool(client.submit(job, true)));
  // There is no checkpoint to resume from, which the coordinator finds out soon.
  unsigned told = 0;
  for (bool failed = false; !failed;)
    client.progress()->read([&](schema::Progress::Reader read) {
      told += read.getEvents().size();
      failed = read.getState() == schema::JobState::FAILED;
    });
  BOOST_TEST(told == 1U);
  client.progress()->read([](auto read) { BOOST_TEST(read.getEvents().size() == 0U); });
}

BOOST_AUTO_TEST_CASE(what_a_run_did_is_told_once_a_coordinator_is_found) {
  JobClient client(access(), "tiny");
  BOOST_REQUIRE(bool(client.submit(job, false)));
  BOOST_TEST((client.run() != actors::RunId{}));
  BOOST_TEST((client.record().error().code == Errc::not_found));
  BOOST_REQUIRE(bool(client.progress()));
  const auto piece = client.record();
  BOOST_REQUIRE(bool(piece));
  BOOST_TEST(!piece->another);
  // Nobody works for it.
  piece->record.read(
      [](schema::Record::Reader read) { BOOST_TEST(read.getEntries().size() == 0U); });
}

BOOST_AUTO_TEST_SUITE_END()
