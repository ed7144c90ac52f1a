#include "actors/training/job_history.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "runtime/wire/message.hpp"

using namespace slime;
using namespace slime::actors;
using runtime::Message;

namespace job_history_test {

Message<schema::JobHistory> told(const JobHistory& history, bool with_lives = true) {
  return Message<schema::JobHistory>::make(
      [&](schema::JobHistory::Builder root) { history.write(root, with_lives); });
}

}  // namespace job_history_test

BOOST_AUTO_TEST_SUITE(job_history_test)

BOOST_AUTO_TEST_CASE(a_successor_knows_what_its_predecessor_told) {
  JobHistory before(2, {0.5, 0.9});
  before.first_iteration = 7;
  before.workers[0].join(WorkerId{0}, 1);
  before.workers[1].join(WorkerId{1}, 2);
  before.workers[1].busy_s = 3;
  before.workers[1].samples = 40;
  before.workers[1].leave(6);
  before.evaluated(7, 0.6, 1.5, 10);
  before.rolled_back(9, 7);
  before.refused_pushes = 1;
  before.resumed_from = 7;
  before.checkpoints_late = 3;
  before.copied = 6;
  before.copies_failed = 2;
  before.costs.copied(0.25);

  JobHistory after(2, {0.5, 0.9});
  told(before).read([&](schema::JobHistory::Reader read) { after.take_up(read); });
  BOOST_TEST(after.first_iteration.value() == 7u);
  BOOST_TEST(after.workers[0].joined_s.value() == 1);
  BOOST_TEST(after.workers[0].present(11) == 10);
  BOOST_TEST(!after.workers[1].joined_s.has_value());
  BOOST_TEST(after.workers[1].present(11) == 4);
  BOOST_TEST(after.workers[1].busy_s == 3);
  BOOST_TEST(after.workers[1].samples == 40u);
  BOOST_REQUIRE(after.workers[1].lives.size() == 1u);
  BOOST_TEST((after.workers[1].lives[0].worker == WorkerId{1}));
  BOOST_TEST(after.workers[1].lives[0].join_s == 2);
  BOOST_TEST(after.workers[1].lives[0].death_s == 6);
  BOOST_TEST(after.accuracy == 0.6);
  BOOST_TEST(after.loss == 1.5);
  BOOST_TEST(after.evaluated_at == 7);
  BOOST_TEST(after.target_seconds.at(0.5) == 10);
  BOOST_TEST(std::isnan(after.target_seconds.at(0.9)));
  BOOST_TEST(after.rollbacks == 1u);
  BOOST_TEST(after.lost_iterations == 2u);
  BOOST_TEST(after.refused_pushes == 1u);
  BOOST_TEST(after.resumed_from == 7);
  BOOST_TEST(after.checkpoints_late == 3u);
  BOOST_TEST(after.copied == 6);
  BOOST_TEST(after.copies_failed == 2u);
  BOOST_TEST(after.costs.lost_s() == 0.25);
  BOOST_TEST(after.costs.failures() == 1u);
}

BOOST_AUTO_TEST_CASE(what_never_happened_is_not_told) {
  JobHistory after(1, {0.5});
  told(JobHistory(1, {0.5})).read([&](schema::JobHistory::Reader read) { after.take_up(read); });
  BOOST_TEST(std::isnan(after.accuracy));
  BOOST_TEST(after.evaluated_at == -1);
  BOOST_TEST(after.resumed_from == -1);
  BOOST_TEST(after.copied == -1);
  BOOST_TEST(std::isnan(after.target_seconds.at(0.5)));
  BOOST_TEST(after.workers[0].present(5) == 0);
}

// Goal: a worker that worked on while its coordinator was replaced has one life, and one that was
// stopped by a rollback has two.
BOOST_AUTO_TEST_CASE(a_life_goes_on_until_it_is_ended) {
  WorkerAccount account;
  account.join(WorkerId{0}, 1);
  account.join(WorkerId{0}, 4);
  BOOST_REQUIRE(account.lives.size() == 1u);
  account.pause(5);
  account.join(WorkerId{0}, 6);
  BOOST_TEST(account.lives.size() == 2u);
  BOOST_TEST(account.lives[0].death_s == 5);
  BOOST_TEST(account.present(8) == 7);
  account.leave(9);
  account.leave(10);
  BOOST_TEST(account.present(20) == 8);
}

BOOST_AUTO_TEST_CASE(lives_are_told_only_where_they_are_wanted) {
  JobHistory before(1, {});
  before.workers[0].join(WorkerId{0}, 1);
  told(before, false).read([](schema::JobHistory::Reader read) {
    BOOST_TEST(read.getWorkers()[0].getLives().size() == 0u);
    BOOST_TEST(read.getWorkers()[0].getJoinedSeconds() == 1);
  });
}

BOOST_AUTO_TEST_CASE(a_target_is_reached_once) {
  JobHistory history(0, {0.5});
  history.evaluated(1, 0.4, 1, 10);
  BOOST_TEST(std::isnan(history.target_seconds.at(0.5)));
  history.evaluated(2, 0.5, 1, 20);
  history.evaluated(3, 0.7, 1, 30);
  BOOST_TEST(history.target_seconds.at(0.5) == 20);
}

BOOST_AUTO_TEST_CASE(an_evaluation_of_parameters_that_are_gone_is_to_be_made_again) {
  JobHistory history(1, {});
  history.evaluated(10, 0.6, 1.5, 3);
  history.rolled_back(12, 10);
  BOOST_TEST(history.evaluated_at == 10);
  history.rolled_back(12, 9);
  BOOST_TEST(history.evaluated_at == -1);
}

BOOST_AUTO_TEST_SUITE_END()
