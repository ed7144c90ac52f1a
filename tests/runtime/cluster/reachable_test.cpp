#include "runtime/cluster/reachable.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::runtime;

BOOST_AUTO_TEST_SUITE(reachable_test)

BOOST_AUTO_TEST_CASE(what_names_an_address_stays_as_it_is) {
  const std::vector<Endpoint> bound{{"tcp:127.0.0.1:4711"}, {"unix:/run/slime"}, {"tcp:[::1]:1"}};
  BOOST_TEST((reachable(bound) == bound));
}

BOOST_AUTO_TEST_CASE(every_address_becomes_real_ones_with_the_same_port) {
  for (const char* all : {"tcp:0.0.0.0:4711", "tcp:[::]:4711"}) {
    const auto told = reachable({{all}});
    BOOST_TEST(!told.empty());
    for (const Endpoint& endpoint : told) {
      const auto parts = parse(endpoint);
      BOOST_REQUIRE(parts);
      BOOST_TEST(parts->port == 4711);
      BOOST_TEST(parts->host != "0.0.0.0");
      BOOST_TEST(parts->host != "::");
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
