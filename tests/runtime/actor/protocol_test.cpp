#include "runtime/actor/protocol.hpp"

#include <boost/test/unit_test.hpp>

#include <type_traits>

#include "tests/support/puppet.hpp"

using namespace slime;
using namespace slime::runtime;

BOOST_AUTO_TEST_SUITE(protocol_test)

BOOST_AUTO_TEST_CASE(a_protocol_tells_asks_from_tells) {
  using P = tests::PuppetProtocol;
  static_assert(P::tells<schema::Note> && !P::asks<schema::Note>);
  static_assert(P::asks<schema::Question> && !P::tells<schema::Question>);
  static_assert(std::is_same_v<P::Answer<schema::Question>, schema::Note>);
  static_assert(!P::asks<schema::Riddle> && !P::tells<schema::Riddle>);
  static_assert(!Protocol<>::asks<schema::Note>);
}

BOOST_AUTO_TEST_CASE(a_handle_is_plain_data) {
  const tests::PuppetRef nobody;
  const tests::PuppetRef somebody{ActorAddress{NodeId{1, 2}, 1, 17}};
  BOOST_TEST(!nobody);
  BOOST_TEST(bool(somebody));
  BOOST_TEST((nobody < somebody));
}

BOOST_AUTO_TEST_SUITE_END()
