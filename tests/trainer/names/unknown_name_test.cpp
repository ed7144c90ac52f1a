#include "trainer/names/unknown_name.hpp"

#include <array>
#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::trainer;

BOOST_AUTO_TEST_SUITE(unknown_name_test)

constexpr std::array<std::string_view, 3> schedules{"constant", "step", "cosine"};

BOOST_AUTO_TEST_CASE(a_slip_is_answered_with_the_nearest_name) {
  const Error error = unknown_name("schedule", "cosin", schedules);
  BOOST_TEST(to_string(error) ==
             "invalid_argument: there is no schedule \"cosin\"; known: constant step cosine; "
             "did you mean \"cosine\"?");
}

BOOST_AUTO_TEST_CASE(another_word_is_answered_with_the_list_alone) {
  const Error error = unknown_name("schedule", "warmup", schedules);
  BOOST_TEST(error.context == "there is no schedule \"warmup\"; known: constant step cosine");
}

BOOST_AUTO_TEST_CASE(a_substituted_letter_counts_once) {
  const Error error = unknown_name("schedule", "stap", schedules);
  BOOST_TEST(error.context.ends_with("did you mean \"step\"?"));
}

BOOST_AUTO_TEST_SUITE_END()
