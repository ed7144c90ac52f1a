#include "tools/slime/restart_policy.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::tools;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(restart_policy_test)

BOOST_AUTO_TEST_CASE(pauses_double_up_to_the_longest_and_attempts_end) {
  const RestartPolicy policy{5, 100ms, 1s, 60s};
  RestartHistory history;
  for (const Duration expected :
       {Duration(100ms), Duration(200ms), Duration(400ms), Duration(800ms), Duration(1s)})
    BOOST_TEST((history.next(policy, 10ms) == expected));
  BOOST_TEST(history.restarts() == 5u);
  BOOST_TEST(!history.next(policy, 10ms));
  BOOST_TEST(!history.next(policy, 10ms));
}

BOOST_AUTO_TEST_CASE(no_restarts_means_one_attempt) {
  RestartHistory history;
  BOOST_TEST(!history.next({.restarts_max = 0}, 10ms));
}

BOOST_AUTO_TEST_CASE(a_child_that_lived_well_starts_afresh) {
  const RestartPolicy policy{2, 100ms, 1s, 60s};
  RestartHistory history;
  history.next(policy, 1s);
  history.next(policy, 1s);
  BOOST_TEST((history.next(policy, 61s) == Duration(100ms)));
  BOOST_TEST(history.restarts() == 1u);
}

// An unlimited policy must not spin, nor overflow its pause.
BOOST_AUTO_TEST_CASE(unlimited_restarts_stay_at_the_longest_pause) {
  const RestartPolicy policy{~0u, 100ms, 10s, 60s};
  RestartHistory history;
  for (int i = 0; i < 200; ++i) history.next(policy, 1ms);
  BOOST_TEST((history.next(policy, 1ms) == Duration(10s)));
}

BOOST_AUTO_TEST_SUITE_END()
