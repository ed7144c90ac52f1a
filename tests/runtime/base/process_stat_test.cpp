#include "runtime/base/process_stat.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;

BOOST_AUTO_TEST_SUITE(process_stat_test)

BOOST_AUTO_TEST_CASE(a_name_may_hold_what_separates_fields) {
  for (const char* name : {"slime", "a b", ") R 1 1 (", ""}) {
    const auto stat = parse_process_stat("17 (" + std::string(name) +
                                         ") S 4 5 6 7 8 9 10 11 12 13 140 15 16 17 18 19 20 21 "
                                         "2200 23\n");
    BOOST_REQUIRE(stat.has_value());
    BOOST_TEST(stat->state == 'S');
    BOOST_TEST(stat->cpu_ticks == 155u);
    BOOST_TEST(stat->start_ticks == 2200u);
  }
}

BOOST_AUTO_TEST_CASE(what_is_cut_is_refused) {
  for (const char* text : {"", "17 (slime", "17 (slime)", "17 (slime) S 4 5 6 7 8 9 10 11 12 13 14",
                           "17 (slime) S 4 5 6 7 8 9 10 11 12 13 x 15 16 17 18 19 20 21 22"})
    BOOST_TEST(!parse_process_stat(text), text);
}

BOOST_AUTO_TEST_SUITE_END()
