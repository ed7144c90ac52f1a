#include "tools/slime/chaos/restart_budget.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace slime;
using namespace slime::tools;
using namespace std::chrono_literals;

namespace restart_budget_test {

struct Budget {
  RestartBudget budget{{.restarts_max = 5, .window = 60s}};
  Instant now{1h};
  pid_t pid = 100;

  RunProcess node() const { return {"worker-0", {pid, 1, "boot"}}; }
  void runs() {
    const std::vector<RunProcess> all{node()};
    budget.look(all, now);
  }
  void ends_and_starts() {
    budget.look({}, now);
    ++pid;
    now += 1s;
    runs();
  }
  bool may_end() const { return budget.may_end("worker-0", now); }
};

}  // namespace restart_budget_test

BOOST_FIXTURE_TEST_SUITE(restart_budget_test, restart_budget_test::Budget)

BOOST_AUTO_TEST_CASE(one_restart_is_kept_for_an_end_that_nobody_planned) {
  runs();
  for (int end = 0; end < 4; ++end) {
    BOOST_TEST(may_end());
    ends_and_starts();
  }
  BOOST_TEST(!may_end());
}

BOOST_AUTO_TEST_CASE(a_calm_window_forgives_and_a_shorter_one_does_not) {
  runs();
  for (int end = 0; end < 4; ++end) ends_and_starts();
  now += 59s;
  runs();
  BOOST_TEST(!may_end());
  now += 1s;
  runs();
  BOOST_TEST(may_end());
  for (int end = 0; end < 4; ++end) ends_and_starts();
  BOOST_TEST(!may_end());
}

BOOST_AUTO_TEST_CASE(a_process_that_was_replaced_between_two_looks_has_ended) {
  runs();
  for (int end = 0; end < 4; ++end) {
    ++pid;
    runs();
  }
  BOOST_TEST(!may_end());
}

BOOST_AUTO_TEST_CASE(others_and_those_of_the_next_command_are_not_concerned) {
  runs();
  for (int end = 0; end < 4; ++end) ends_and_starts();
  BOOST_TEST(budget.may_end("worker-1", now));
  budget.reset();
  runs();
  BOOST_TEST(may_end());
}

BOOST_AUTO_TEST_SUITE_END()
