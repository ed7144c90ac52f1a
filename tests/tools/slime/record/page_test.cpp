#include "tools/slime/record/page.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/tools/slime/record/occurrences.hpp"
#include "tests/tools/slime/record/sample_record.hpp"

using namespace slime::tests;
using namespace slime::tools;

namespace page_test {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// A run that did very much.
RunStory long_story(std::uint32_t workers, std::uint32_t groups) {
  RunStory story = *read_lines(header_line("long", workers));
  for (std::uint32_t i = 0; i < groups; ++i)
    story.groups[i % workers].push_back({.lead = i * 7 % 5,
                                         .compute_s = 0.01F * static_cast<float>(i % 9),
                                         .fetch_s = 0.02F,
                                         .push_s = 0.03F,
                                         .wait_s = 0.01F,
                                         .run_s = 0.01 * i});
  for (std::uint32_t i = 0; i < 2000; ++i) {
    DecisionMark decision{.run_s = 0.01 * i * groups / 2000, .iteration = i, .workers = {}};
    for (std::uint32_t worker = 0; worker < workers; ++worker)
      decision.workers.push_back({.worker = worker, .blocks = (i + worker) % 7, .measured = true});
    story.decisions.push_back(decision);
    story.incidents.push_back({Incident::Kind::gone, 0.1 * i, std::string(2000, '<'), i});
  }
  story.run_s = 0.01 * groups;
  return story;
}

}  // namespace page_test

// The whole page, as a parser and a browser see it, is in page_test.py.
BOOST_AUTO_TEST_SUITE(page_test)

BOOST_AUTO_TEST_CASE(a_page_has_a_section_for_each_run) {
  const std::vector<RunStory> one{*read_lines(sample_record("first"))};
  BOOST_TEST(occurrences(report_page(one), "<section>") == 1u);
  BOOST_TEST(!has(report_page(one), "Side by side"));
  const std::vector<RunStory> two{one[0], *read_lines(sample_record("second") + end_line(10))};
  const std::string text = report_page(two);
  BOOST_TEST(occurrences(text, "<section>") == 2u);
  BOOST_TEST(occurrences(text, "<svg ") == 10u);
  BOOST_TEST(has(text, "Side by side"));
  BOOST_TEST(has(text, "<h2>first</h2>"));
  BOOST_TEST(has(text, "<h2>second</h2>"));
}

BOOST_AUTO_TEST_CASE(what_is_missing_is_said) {
  RunStory story = *read_lines(sample_record());
  story.cut = true;
  story.lost = 5;
  story.lost_more = true;
  story.unknown = 2;
  story.thinned = true;
  const std::string text = report_page({&story, 1});
  BOOST_TEST(has(text, "it still went on when this page was drawn"));
  BOOST_TEST(has(text, "not whole"));
  BOOST_TEST(has(text, "At least 5 entries are missing"));
  BOOST_TEST(has(text, "are thinned"));
  BOOST_TEST(has(text, "2 lines of a later version"));
}

// Goal: whoever sees a page for the first time finds each colour and mark explained where it is.
BOOST_AUTO_TEST_CASE(colours_and_marks_are_explained) {
  const RunStory story = *read_lines(sample_record());
  const std::string text = report_page({&story, 1});
  for (const char* mark : {"started", "joined", "gone", "rolled back", "checkpoint", "gap"})
    BOOST_TEST(has(text, "></span>" + std::string(mark)), mark);
  BOOST_TEST(occurrences(text, "></span>worker 1") == 2u);
}

BOOST_AUTO_TEST_CASE(names_cannot_bring_markup) {
  const RunStory story = *read_lines(sample_record("<script>alert(1)</script>"));
  const std::string text = report_page({&story, 1});
  BOOST_TEST(!has(text, "<script"));
  BOOST_TEST(has(text, "&lt;script&gt;"));
}

BOOST_AUTO_TEST_CASE(a_page_of_long_runs_stays_below_five_megabytes) {
  const RunStory wide = long_story(64, 200'000);
  BOOST_TEST(report_page({&wide, 1}).size() < 5'000'000u);
  const std::vector<RunStory> many(20, long_story(16, 20'000));
  BOOST_TEST(report_page(many).size() < 5'000'000u);
}

BOOST_AUTO_TEST_SUITE_END()
