#include "tools/slime/record/timeline.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/tools/slime/record/occurrences.hpp"
#include "tests/tools/slime/record/sample_record.hpp"

using namespace slime::tests;
using namespace slime::tools;

BOOST_AUTO_TEST_SUITE(timeline_test)

BOOST_AUTO_TEST_CASE(each_worker_has_a_lane_and_each_kind_of_incident_a_mark) {
  const std::string text = timeline(*read_lines(sample_record()), DrawingBudget(1));
  for (const char* kind : {"compute", "wait", "fetch", "push"})
    BOOST_TEST(occurrences(text, "class=\"" + std::string(kind) + "\"") == 2u);
  for (const char* kind : {"started", "joined", "gone", "rolledback"})
    BOOST_TEST(occurrences(text, "class=\"mark " + std::string(kind) + "\"") == 1u);
  BOOST_TEST(occurrences(text, "class=\"mark gap\"") == 0u);
  BOOST_TEST(text.ends_with("</svg>\n"));
}

BOOST_AUTO_TEST_CASE(of_many_workers_the_first_are_drawn) {
  const std::string text =
      timeline(*read_lines(header_line("many", 500) + group_line(1, 499, 0, 1)), DrawingBudget(1));
  BOOST_TEST(occurrences(text, "class=\"compute\"") == DrawingBudget(1).workers);
}

BOOST_AUTO_TEST_CASE(a_run_that_did_nothing_can_be_drawn) {
  BOOST_TEST(occurrences(timeline(*read_lines(header_line()), DrawingBudget(1)), "<svg") == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
