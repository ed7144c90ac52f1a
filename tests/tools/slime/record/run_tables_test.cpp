#include "tools/slime/record/run_tables.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/tools/slime/record/occurrences.hpp"
#include "tests/tools/slime/record/sample_record.hpp"

using namespace slime::tests;
using namespace slime::tools;

namespace run_tables_test {

std::size_t rows(const std::string& text) {
  return occurrences(text, "<tr>");
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace run_tables_test

BOOST_AUTO_TEST_SUITE(run_tables_test)

BOOST_AUTO_TEST_CASE(lines_stay_lines_and_text_stays_text) {
  BOOST_TEST(html_text_lines("a<\nb\n") == "a&lt;\nb\n");
  BOOST_TEST(html_text_lines("no end") == "no end");
}

BOOST_AUTO_TEST_CASE(incidents_are_told_with_their_time) {
  const RunStory story =
      *read_lines(header_line() + gone_line(2.5, 1, "<script>alert(1)</script>"));
  const std::string text = incidents_table(story, 10);
  BOOST_TEST(has(text, "<td>2.50</td><td>gone</td>"));
  BOOST_TEST(has(text, "&lt;script&gt;"));
  BOOST_TEST(!has(text, "<script"));
}

BOOST_AUTO_TEST_CASE(an_incident_that_stands_for_others_says_so) {
  std::string lines = header_line();
  for (int i = 0; i < 8; ++i) lines += gone_line(i, 1, "again");
  const std::string text = incidents_table(*read_lines(lines, {.incidents = 4}), 10);
  BOOST_TEST(rows(text) == 1u + 2);
  BOOST_TEST(has(text, "again (the last of 4 that are shown as one)"));
}

BOOST_AUTO_TEST_CASE(a_decision_is_told_with_what_was_known) {
  const std::string text = decisions_table(*read_lines(sample_record()), 10);
  BOOST_TEST(rows(text) == 3u);
  BOOST_TEST(has(text, "0: 3 (0 ms + 250 ms a sample, noise 0.0 %)"));
  // Of the other one nothing was known.
  BOOST_TEST(has(text, "1: 1<br>"));
}

BOOST_AUTO_TEST_CASE(of_too_many_rows_the_first_and_the_last_are_shown) {
  std::string lines = header_line();
  for (int i = 0; i < 100; ++i) lines += shares_line(i, {1, static_cast<std::uint32_t>(i)});
  const std::string text = decisions_table(*read_lines(lines), 10);
  BOOST_TEST(rows(text) == 1u + 5 + 1 + 5);
  BOOST_TEST(has(text, "90 more"));
  BOOST_TEST(has(text, "<td>0.00</td>"));
  BOOST_TEST(has(text, "<td>99.00</td>"));
}

BOOST_AUTO_TEST_CASE(nothing_is_said_to_be_nothing) {
  BOOST_TEST(rows(incidents_table(*read_lines(header_line()), 10)) == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
