#include "runtime/supervision/restart_policy.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace slime;
using namespace slime::runtime;
using namespace std::chrono_literals;

namespace restart_policy_test {

RestartLimits limits(std::uint32_t restarts_max) {
  return RestartLimits{
      .restarts_max = restarts_max, .window = 60s, .backoff = 100ms, .backoff_max = 10s};
}

/// The pauses of an actor that fails right away, at most `count` of them.
std::vector<Duration> pauses(RestartPolicy& policy, std::size_t count) {
  std::vector<Duration> all;
  Instant now{};
  while (all.size() < count) {
    const auto pause = policy.failed(now);
    if (!pause) break;
    all.push_back(*pause);
    now += *pause;
  }
  return all;
}

}  // namespace restart_policy_test

BOOST_AUTO_TEST_SUITE(restart_policy_test)

BOOST_AUTO_TEST_CASE(a_start_that_always_fails_is_tried_once_and_then_as_often_as_allowed) {
  for (const std::uint32_t allowed : {0u, 1u, 2u, 5u, 30u}) {
    RestartPolicy policy(limits(allowed));
    BOOST_TEST(pauses(policy, 1000).size() == allowed);
    BOOST_TEST(policy.restarts() == allowed);
  }
}

BOOST_AUTO_TEST_CASE(pauses_double_up_to_their_bound) {
  RestartPolicy policy(limits(9));
  const std::vector<Duration> expected{100ms,  200ms,  400ms, 800ms, 1600ms,
                                       3200ms, 6400ms, 10s,   10s};
  BOOST_TEST((pauses(policy, 1000) == expected));
}

BOOST_AUTO_TEST_CASE(unlimited_never_gives_up_and_never_spins) {
  RestartPolicy policy(limits(RestartLimits::unlimited));
  const auto all = pauses(policy, 5000);
  BOOST_TEST(all.size() == 5000u);
  BOOST_TEST((all.back() == 10s));
}

BOOST_AUTO_TEST_CASE(a_calm_window_forgives_what_was_before) {
  RestartPolicy policy(limits(2));
  Instant now{};
  for (int round = 0; round < 10; ++round) {
    BOOST_TEST((policy.failed(now) == Duration(100ms)));
    policy.started(now);
    now += 60s;
  }
  BOOST_TEST(policy.restarts() == 10u);
}

BOOST_AUTO_TEST_CASE(deaths_within_the_window_add_up) {
  RestartPolicy policy(limits(2));
  Instant now{};
  for (int i = 0; i < 2; ++i) {
    policy.started(now);
    now += 59s;
    BOOST_TEST(bool(policy.failed(now)));
  }
  policy.started(now);
  BOOST_TEST(!policy.failed(now + 59s));
}

BOOST_AUTO_TEST_CASE(a_first_pause_above_the_bound_is_cut) {
  RestartPolicy policy(RestartLimits{.backoff = 1h, .backoff_max = 2s});
  BOOST_TEST((policy.failed(Instant{}) == Duration(2s)));
}

BOOST_AUTO_TEST_SUITE_END()
