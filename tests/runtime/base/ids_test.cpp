#include "runtime/base/ids.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;

BOOST_AUTO_TEST_SUITE(ids_test)

BOOST_AUTO_TEST_CASE(an_address_prints_its_node_and_number) {
  const ActorAddress address{NodeId{0x1f2e3d4c00000000, 1}, 2, 7};
  BOOST_TEST(to_string(address) == "1f2e3d4c#7");
  BOOST_TEST(bool(address));
  BOOST_TEST(!ActorAddress{});
}

BOOST_AUTO_TEST_SUITE_END()
