#include "runtime/cluster/actor_table.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::runtime;

namespace actor_table_test {

constexpr NodeId node{1, 2};

}  // namespace actor_table_test

BOOST_AUTO_TEST_SUITE(actor_table_test)

BOOST_AUTO_TEST_CASE(numbers_are_given_once) {
  ActorTable table(node, 7, 10);
  BOOST_TEST(table.reserve(0, "a").value().number == ActorTable::first_free);
  BOOST_TEST(table.reserve(0, "a").value().number == ActorTable::first_free + 1);
  BOOST_TEST(table.reserve(3, "a").value().number == 3u);
  BOOST_TEST((table.reserve(3, "a").error().code == Errc::already_exists));
  table.bury(3, std::nullopt, 0);
  BOOST_TEST((table.reserve(3, "a").error().code == Errc::already_exists));
  BOOST_TEST((table.reserve(ActorTable::first_free, "a").error().code == Errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(the_dead_say_who_they_were_and_why_and_when_they_ended) {
  ActorTable table(node, 7, 10);
  const auto address = table.reserve(0, "worker").value();
  table.bury(address.number, Error{Errc::internal, "no memory"}, 1'000'000'000'000'000);
  for (const std::string& text :
       {table.why_dead(address.number).context, table.last_words(address.number)->context}) {
    BOOST_TEST(text.find(to_string(address)) != std::string::npos);
    BOOST_TEST(text.find("worker") != std::string::npos);
    BOOST_TEST(text.find("internal: no memory") != std::string::npos);
    BOOST_TEST(text.find("2001-09-09 01:46:40 UTC") != std::string::npos);
  }
  BOOST_TEST((table.why_dead(address.number).code == Errc::unavailable));
  BOOST_TEST((table.last_words(address.number)->code == Errc::internal));
}

BOOST_AUTO_TEST_CASE(a_normal_end_has_no_last_words) {
  ActorTable table(node, 7, 10);
  const auto address = table.reserve(0, "worker").value();
  table.bury(address.number, std::nullopt, 0);
  BOOST_TEST(!table.last_words(address.number));
  BOOST_TEST(table.why_dead(address.number).context.find("normally") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(only_the_latest_dead_are_remembered) {
  ActorTable table(node, 7, 2);
  for (int i = 0; i < 3; ++i) table.bury(table.reserve(0, "a").value().number, std::nullopt, 0);
  BOOST_TEST(table.list().size() == 2u);
  BOOST_TEST(table.why_dead(ActorTable::first_free).context.find("long ago") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
