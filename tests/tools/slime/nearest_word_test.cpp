#include "tools/slime/nearest_word.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime::tools;

BOOST_AUTO_TEST_SUITE(nearest_word_test)

BOOST_AUTO_TEST_CASE(an_edit_is_an_insertion_deletion_substitution_or_swap) {
  BOOST_TEST(edit_distance("", "") == 0u);
  BOOST_TEST(edit_distance("", "abc") == 3u);
  BOOST_TEST(edit_distance("workers", "workers") == 0u);
  BOOST_TEST(edit_distance("wrokers", "workers") == 1u);
  BOOST_TEST(edit_distance("worker", "workers") == 1u);
  BOOST_TEST(edit_distance("kitten", "sitting") == 3u);
  // Optimal string alignment does not edit a swapped pair again.
  BOOST_TEST(edit_distance("ca", "abc") == 3u);
}

BOOST_AUTO_TEST_CASE(the_nearest_word_is_suggested_and_a_far_one_is_not) {
  const std::string_view words[] = {"bsp", "a_dsp", "asp"};
  BOOST_TEST((nearest_word("bps", words) == "bsp"));
  BOOST_TEST((nearest_word("adsp", words) == "a_dsp"));
  BOOST_TEST(!nearest_word("elephant", words));
  BOOST_TEST(!nearest_word("xy", words));
  BOOST_TEST(suggestion("bps", words) == "did you mean \"bsp\"?");
  BOOST_TEST(suggestion("elephant", words) == "known are bsp, a_dsp, asp");
}

BOOST_AUTO_TEST_SUITE_END()
