#include "runtime/wire/address.hpp"

#include <boost/test/unit_test.hpp>

#include "runtime/wire/message.hpp"

using namespace slime;
using namespace slime::runtime;

BOOST_AUTO_TEST_SUITE(address_test)

BOOST_AUTO_TEST_CASE(an_address_survives_a_message) {
  const ActorAddress address{NodeId{~0ull, 7}, 3, 1ull << 63};
  const auto message = Message<schema::ActorAddress>::make(
      [&](schema::ActorAddress::Builder root) { write_address(root, address); });
  BOOST_TEST((message.read([](auto root) { return read_address(root); }) == address));
}

BOOST_AUTO_TEST_CASE(an_unset_address_names_nobody) {
  BOOST_TEST(!Message<schema::ActorAddress>().read([](auto root) { return read_address(root); }));
  BOOST_TEST(!Message<schema::NodeId>().read([](auto root) { return read_node(root); }));
}

BOOST_AUTO_TEST_SUITE_END()
