#include "tools/bench/comparison.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime::bench;

BOOST_AUTO_TEST_SUITE(comparison_test)

BOOST_AUTO_TEST_CASE(a_ratio_above_1_means_that_ours_is_better) {
  const auto rate = compare("rate", true, {20, 30, 10}, "theirs", {10, 10, 10});
  BOOST_TEST(rate.ours == 20);
  BOOST_TEST(median(rate.ratios) == 2);
  const auto time = compare("time", false, {20, 30, 10}, "theirs", {10, 10, 10});
  BOOST_TEST(median(time.ratios) == 0.5);
}

// Goal: a machine that slows down for a while changes no ratio. Method: both are ten times slower
// in one repetition of three.
BOOST_AUTO_TEST_CASE(ratios_are_of_repetitions_side_by_side) {
  const auto row = compare("rate", true, {20, 2, 20}, "theirs", {10, 1, 10});
  BOOST_TEST(least(row.ratios) == 2);
  BOOST_TEST(greatest(row.ratios) == 2);
}

BOOST_AUTO_TEST_CASE(rows_are_printed_with_their_spread) {
  BOOST_TEST(text_of({3, 1, 2}) == "2.00 [1.00 3.00]");
  const auto fast = compare("a", true, {4}, "x", {2}), slow = compare("b", true, {1}, "y", {2});
  BOOST_TEST(json_of("link", {fast, slow}) ==
             R"({"bench":"link","rows":[{"case":"a","ours":4.0000,"rival":"x","theirs":2.0000,)"
             R"("ratio":2.000,"ratio_min":2.000,"ratio_max":2.000},{"case":"b","ours":1.0000,)"
             R"("rival":"y","theirs":2.0000,"ratio":0.500,"ratio_min":0.500,"ratio_max":0.500}],)"
             R"("worst_ratio":0.500})");
}

BOOST_AUTO_TEST_CASE(a_promise_is_met_or_missed_as_it_is_printed) {
  auto row = compare("a", true, {0.6951, 0.2, 0.9}, "x", {1, 1, 1});
  BOOST_TEST(json_of("b", {row}).find("met") == std::string::npos);
  row.ratio_min = 0.7;
  BOOST_TEST(is_met(row));
  BOOST_TEST(json_of("b", {row}).find(R"("ratio_promised":0.700,"met":true})") !=
             std::string::npos);
  row.ratio_min = 0.71;
  BOOST_TEST(!is_met(row));
  BOOST_TEST(json_of("b", {row}).find(R"("met":false})") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
