#include "tools/slime/record/run_charts.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/tools/slime/record/occurrences.hpp"
#include "tests/tools/slime/record/sample_record.hpp"

using namespace slime::tests;
using namespace slime::tools;

namespace run_charts_test {

struct Charts {
  const RunStory story = *read_lines(sample_record());
  const DrawingBudget budget{1};
};

}  // namespace run_charts_test

BOOST_FIXTURE_TEST_SUITE(run_charts_test, Charts)

BOOST_AUTO_TEST_CASE(shares_and_staleness_have_a_line_for_each_worker) {
  BOOST_TEST(occurrences(shares_chart(story, budget), "class=\"line\"") == 2u);
  BOOST_TEST(occurrences(staleness_chart(story, budget), "class=\"line\"") == 2u);
}

// Goal: a share holds until the next decision, the last one to the run's end.
BOOST_AUTO_TEST_CASE(shares_are_percent_of_an_iteration) {
  const std::string text = shares_chart(story, budget);
  // From half to three quarters at 4 s of 10, then along to the right edge.
  BOOST_TEST(text.find("d=\"M70 ") != std::string::npos);
  BOOST_TEST(occurrences(text, "H420.4") == 2u);
  BOOST_TEST(occurrences(text, "H946V") == 2u);
}

BOOST_AUTO_TEST_CASE(accuracy_has_one_line_and_the_targets) {
  for (const std::string& text : {accuracy_chart(story, budget), learning_chart(story, budget)}) {
    BOOST_TEST(occurrences(text, "class=\"line\"") == 1u);
    BOOST_TEST(occurrences(text, "class=\"level\"") == 2u);
  }
}

BOOST_AUTO_TEST_CASE(a_run_that_did_nothing_has_charts) {
  const RunStory nothing = *read_lines(header_line());
  for (const auto chart : {shares_chart, staleness_chart, accuracy_chart, learning_chart})
    BOOST_TEST(occurrences(chart(nothing, budget), "</svg>") == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
