#include "runtime/actor/failure.hpp"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <vector>

#include "schemas/ids.capnp.h"
#include "tests/support/puppet.hpp"

using namespace slime;
using namespace slime::runtime;

BOOST_AUTO_TEST_SUITE(failure_test)

BOOST_AUTO_TEST_CASE(an_error_survives_a_message) {
  const auto error = failure_of(to_failure(Error{Errc::stale, "pushing: an older term"}));
  BOOST_REQUIRE(error.has_value());
  BOOST_TEST((error->code == Errc::stale));
  BOOST_TEST(error->context == "pushing: an older term");
}

BOOST_AUTO_TEST_CASE(a_malformed_failure_is_one_all_the_same) {
  const std::vector<std::byte> garbage(64, std::byte{0xff});
  const auto error = failure_of(AnyMessage{type_id<schema::Failure>(), Words::copy(garbage)});
  BOOST_REQUIRE(error.has_value());
  BOOST_TEST((error->code == Errc::corruption));
}

BOOST_AUTO_TEST_CASE(another_message_is_no_failure) {
  BOOST_TEST(!failure_of(tests::note(4).any()));
  BOOST_TEST(!failure_of(AnyMessage{}));
}

BOOST_AUTO_TEST_SUITE_END()
