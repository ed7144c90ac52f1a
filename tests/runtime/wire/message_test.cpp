#include "runtime/wire/message.hpp"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <vector>

#include "schemas/ids.capnp.h"

using namespace slime;
using namespace slime::runtime;

BOOST_AUTO_TEST_SUITE(message_test)

using Failure = Message<schema::Failure>;

BOOST_AUTO_TEST_CASE(a_message_reads_as_it_was_made) {
  const Failure failure = Failure::make([](schema::Failure::Builder root) {
    root.setCode(4);
    root.setContext("gone");
  });
  failure.read([](schema::Failure::Reader root) {
    BOOST_TEST(root.getCode() == 4);
    BOOST_TEST((root.getContext() == "gone"));
  });
}

BOOST_AUTO_TEST_CASE(an_empty_message_reads_as_defaults) {
  BOOST_TEST(Failure().read([](schema::Failure::Reader root) { return root.getCode(); }) == 0);
}

BOOST_AUTO_TEST_CASE(a_message_of_another_type_is_refused) {
  const AnyMessage any = Message<schema::NodeId>::make().any();
  BOOST_TEST(!Failure::from(any));
  BOOST_TEST(bool(Message<schema::NodeId>::from(any)));
}

BOOST_AUTO_TEST_CASE(malformed_words_are_refused_where_they_are_checked) {
  BOOST_TEST(bool(Failure::checked(Failure::make().any())));
  BOOST_TEST(bool(Failure::checked(AnyMessage{type_id<schema::Failure>(), {}})));
  const std::vector<std::byte> garbage(64, std::byte{0xff});
  const auto checked =
      Failure::checked(AnyMessage{type_id<schema::Failure>(), Words::copy(garbage)});
  BOOST_REQUIRE(!checked);
  BOOST_TEST((checked.error().code == Errc::corruption));
}

BOOST_AUTO_TEST_CASE(a_large_message_can_be_read_many_times) {
  const Failure failure = Failure::make(
      [](schema::Failure::Builder root) { root.initContext(100 << 20); }, (100 << 20) / 8 + 64);
  for (int i = 0; i < 1000; ++i)
    failure.read([](schema::Failure::Reader root) {
      if (root.getContext().size() != 100u << 20) BOOST_FAIL("short");
    });
}

BOOST_AUTO_TEST_SUITE_END()
