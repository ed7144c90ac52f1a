#include "runtime/actor/state_version.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "tests/support/counter.capnp.h"

using namespace slime;
using namespace slime::runtime;

namespace state_version_test {

const std::vector<Upcaster> upcasters{
    upcaster<schema::FirstCounterState, schema::SecondCounterState>(
        1, [](auto old, auto next) { next.setCount(12 * std::uint64_t{old.getDozens()}); }),
    upcaster<schema::SecondCounterState, schema::CounterState>(
        2, [](auto old, auto next) { next.setCount(old.getCount()); })};

AnyMessage first(std::uint32_t dozens) {
  return Message<schema::FirstCounterState>::make([=](auto root) { root.setDozens(dozens); }).any();
}
Result<AnyMessage> newest(AnyMessage state, std::uint32_t version) {
  return as_version({std::move(state), version}, type_id<schema::CounterState>(), 3, upcasters);
}

}  // namespace state_version_test

BOOST_AUTO_TEST_SUITE(state_version_test)

BOOST_AUTO_TEST_CASE(a_state_goes_through_every_version_to_the_newest) {
  const auto state = newest(first(3), 1);
  BOOST_REQUIRE(bool(state));
  BOOST_TEST(Message<schema::CounterState>::from(*state)->read(
                 [](auto root) { return root.getCount(); }) == 36u);
}

BOOST_AUTO_TEST_CASE(a_state_of_the_newest_version_stays_as_it_is) {
  const AnyMessage same = Message<schema::CounterState>::make().any();
  BOOST_TEST((newest(same, 3)->words.data() == same.words.data()));
}

BOOST_AUTO_TEST_CASE(a_later_version_is_refused) {
  const auto state = newest(first(3), 4);
  BOOST_TEST((state.error().code == Errc::incompatible));
  BOOST_TEST(state.error().context.find("is of version 4") != std::string::npos);
  BOOST_TEST(state.error().context.find("knows up to 3") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_missing_step_is_named) {
  const auto state =
      as_version({first(3), 1}, type_id<schema::CounterState>(), 3, std::span(upcasters).first(1));
  BOOST_TEST((state.error().code == Errc::incompatible));
  BOOST_TEST(state.error().context.find("from version 2 to 3") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(another_type_is_refused) {
  BOOST_TEST((newest(first(3), 3).error().code == Errc::incompatible));
  BOOST_TEST((newest(first(3), 2).error().code == Errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(malformed_words_are_corruption) {
  const std::uint64_t nonsense[] = {0x0000'0100'0000'0000, 0xffff'ffff'ffff'ffff};
  const AnyMessage broken{type_id<schema::FirstCounterState>(),
                          Words::copy(std::as_bytes(std::span(nonsense)))};
  BOOST_TEST((newest(broken, 1).error().code == Errc::corruption));
}

BOOST_AUTO_TEST_SUITE_END()
