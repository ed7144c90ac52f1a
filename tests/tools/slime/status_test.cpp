#include "tools/slime/status.hpp"

#include <boost/test/unit_test.hpp>
#include <csignal>

#include "tests/tools/slime/started_cluster.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;

BOOST_FIXTURE_TEST_SUITE(status_test, StartedCluster)

BOOST_AUTO_TEST_CASE(members_are_listed_by_session_and_by_address) {
  SlimeProcess node(*this, start({"--join", address, "--name", "one"}));
  BOOST_REQUIRE(node.says("listens at", 20s));
  SlimeProcess text(*this, {"status", "--session", session});
  BOOST_TEST(text.wait(20s).value_or(-1) == 0);
  BOOST_TEST(text.says("one ", 0s));
  SlimeProcess json(*this, {"status", "--session", session, "--address", address, "--json"});
  BOOST_TEST(json.wait(20s).value_or(-1) == 0);
  BOOST_TEST(json.says(R"({"name":"one","state":"alive")", 0s));
}

BOOST_AUTO_TEST_CASE(a_dead_cluster_is_told_at_once) {
  head.signal(SIGKILL);
  BOOST_REQUIRE(head.wait(20s).has_value());
  const Instant before = monotonic_now();
  BOOST_TEST(refuses(*this, {"status", "--session", session}, 4,
                     "no live cluster; stale session from 20"));
  BOOST_TEST(to_seconds(monotonic_now() - before) < 2);
  BOOST_TEST(refuses(*this, {"status", "--session", session, "--address", address}, 7,
                     "Connection refused"));
  BOOST_TEST(refuses(*this, {"status", "--session", no_session(), "--address", address}, 7,
                     "Connection refused"));
  BOOST_TEST(
      refuses(*this, {"status", "--session", no_session(), "--address", "foo"}, 2, "no port"));
}

BOOST_AUTO_TEST_CASE(no_session_and_another_token_are_refused) {
  BOOST_TEST(
      refuses(*this, {"status", "--session", (path() / "nowhere").string()}, 4, "no live cluster"));
  const std::string file = write("token", "another").string();
  BOOST_TEST(
      refuses(*this, {"status", "--session", session, "--token-file", file}, 11, "another token"));
}

BOOST_AUTO_TEST_SUITE_END()
