#include "tools/slime/stop.hpp"

#include <boost/test/unit_test.hpp>
#include <csignal>

#include "tests/tools/slime/started_cluster.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;

BOOST_FIXTURE_TEST_SUITE(stop_test, StartedCluster)

BOOST_AUTO_TEST_CASE(every_process_of_the_session_ends_and_is_listed) {
  SlimeProcess node(*this, start({"--join", address, "--name", "one"}));
  BOOST_REQUIRE(node.says("listens at", 20s));
  SlimeProcess stop(*this, {"stop", "--session", session, "--json"});
  BOOST_TEST(stop.wait(20s).value_or(-1) == 0);
  BOOST_TEST(stop.out().starts_with(R"({"ok":true,"processes":[{"name":"one","pid":)"));
  BOOST_TEST(stop.says(R"("name":"head")", 0s));
  // In order: none of them saw another one fail.
  BOOST_TEST(head.wait(5s).value_or(-1) == 0);
  BOOST_TEST(node.wait(5s).value_or(-1) == 0);
  BOOST_TEST(refuses(*this, {"stop", "--session", session}, 4, "no live cluster"));
}

BOOST_AUTO_TEST_CASE(a_process_that_does_not_end_is_killed_after_the_grace) {
  head.signal(SIGSTOP);
  SlimeProcess stop(*this, {"stop", "--session", session, "--grace", "0.2"});
  BOOST_TEST(head.wait(20s).value_or(0) == -SIGKILL);
  BOOST_TEST(stop.wait(20s).value_or(-1) == 0);
  BOOST_TEST(stop.says("killed", 0s));
}

BOOST_AUTO_TEST_SUITE_END()
