#include "tools/slime/record/story_reader.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

#include "tests/support/temp_dir.hpp"
#include "tests/tools/slime/record/sample_record.hpp"
#include "tools/slime/record/run_figures.hpp"

using namespace slime;
using namespace slime::tests;
using namespace slime::tools;

namespace story_reader_test {

Error refusal(const std::string& text) {
  const auto story = read_lines(text);
  BOOST_REQUIRE(!story);
  return story.error();
}

boost::test_tools::predicate_result corrupt(const std::string& lines, std::string_view part) {
  const auto story = read_lines(header_line() + lines);
  if (story) return false;
  boost::test_tools::predicate_result result(story.error().code == Errc::corruption &&
                                             story.error().context.find(part) != std::string::npos);
  result.message() << story.error().context;
  return result;
}

}  // namespace story_reader_test

BOOST_FIXTURE_TEST_SUITE(story_reader_test, TempDir)

BOOST_AUTO_TEST_CASE(a_record_becomes_a_story) {
  const auto story = read_story(write("run.jsonl", sample_record() + end_line(10.5)));
  BOOST_REQUIRE(bool(story));
  BOOST_TEST(figures_of(*story).name == "sample");
  BOOST_TEST(story->workers == 2u);
  BOOST_TEST(story->groups.size() == 2u);
  BOOST_TEST(story->groups[1].size() == 10u);
  BOOST_TEST(story->groups[1][1].compute_s == 0.75F);
  BOOST_TEST(story->groups[1][1].run_s == 2);
  BOOST_TEST(!story->thinned);
  BOOST_TEST(story->decisions.size() == 2u);
  BOOST_TEST(story->decisions[1].workers[0].blocks == 3u);
  BOOST_TEST(story->decisions[1].workers[0].sample_s == 0.25F);
  BOOST_TEST(story->evaluations.size() == 2u);
  BOOST_TEST(story->incidents.size() == 5u);
  BOOST_TEST(story->incidents[3].text == "worker 1 died: by the test");
  BOOST_TEST(story->run_s == 10.5);
  BOOST_TEST(story->end.has_value());
  BOOST_TEST(!story->cut);
}

// Goal: a command that is killed while it writes leaves a record that can be read.
BOOST_AUTO_TEST_CASE(a_last_line_that_is_not_whole_is_left_out) {
  std::string text = sample_record();
  text.resize(text.size() - 10);
  const auto story = read_story(write("run.jsonl", text));
  BOOST_REQUIRE(bool(story));
  BOOST_TEST(story->cut);
  BOOST_TEST(!story->end.has_value());
  BOOST_TEST(story->incidents.size() == 4u);
}

BOOST_AUTO_TEST_CASE(what_is_no_record_is_refused) {
  BOOST_TEST((read_story("/nowhere").error().code == Errc::not_found));
  BOOST_TEST((read_story(path()).error().code == Errc::io_error));
  BOOST_TEST((read_story(write("empty", "")).error().code == Errc::corruption));
  BOOST_TEST((read_story("/dev/zero").error().code == Errc::corruption));
  const Error error = read_story(write("text", "name = 7\n")).error();
  BOOST_TEST((error.code == Errc::corruption));
  BOOST_TEST(error.context.find("text, line 1: it is no line of a record: ") != std::string::npos);
  BOOST_TEST(error.context.ends_with("in JSON message; name a file that slime train wrote"),
             error.context);
  BOOST_TEST((refusal(group_line(1, 0, 0, 1)).code == Errc::corruption));
}

BOOST_AUTO_TEST_CASE(a_later_format_is_told_from_damage) {
  const std::string line = record_line([](schema::RecordLine::Builder root) {
    root.initHeader().setFormatVersion(2);
    root.getHeader().setSlimeVersion("9.9");
  });
  const Error error = refusal(line);
  BOOST_TEST((error.code == Errc::incompatible));
  BOOST_TEST(error.context.find("SLIME 9.9") != std::string::npos);
  BOOST_TEST(error.context.find("use that one or a later one") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(lines_of_a_later_version_are_counted_and_left_out) {
  const auto story =
      read_lines(header_line() + "{\"novelty\":1}\n{\"entry\":{\"runSeconds\":1,\"news\":{}}}\n" +
                 group_line(0.5, 0, 0, 0.25));
  BOOST_REQUIRE(bool(story));
  BOOST_TEST(story->unknown == 2u);
  BOOST_TEST(story->groups[0].size() == 1u);
}

BOOST_AUTO_TEST_CASE(numbers_that_cannot_be_are_refused) {
  const float endless = std::numeric_limits<float>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  BOOST_TEST(corrupt(group_line(nan, 0, 0, 1), "seconds"));
  BOOST_TEST(corrupt(group_line(-1, 0, 0, 1), "seconds"));
  BOOST_TEST(corrupt(group_line(1e12, 0, 0, 1), "seconds"));
  BOOST_TEST(corrupt(group_line(1, 0, 0, endless), "seconds"));
  BOOST_TEST(corrupt(group_line(1, 2, 0, 1), "worker 2"));
  BOOST_TEST(corrupt(group_line(1, 0, ~std::uint64_t{0}, 1), "number"));
  BOOST_TEST(corrupt(gone_line(1, 2, "why"), "worker 2"));
  BOOST_TEST(corrupt(shares_line(1, {1, 1, 1}), "more workers"));
  for (const double accuracy : {nan, -0.1, 1.1})
    BOOST_TEST(corrupt(evaluation_line(1, 10, accuracy), "accuracy"));
  BOOST_TEST(corrupt(end_line(nan), "seconds"));
  BOOST_TEST(corrupt("{\"entry\":{\"runSeconds\":1e999}}\n", ""));
  BOOST_TEST((refusal(header_line("many", 10'001)).code == Errc::corruption));
  BOOST_TEST((refusal(header_line("none", 0)).code == Errc::corruption));
  const auto targets = [](unsigned count) {
    return record_line([count](schema::RecordLine::Builder line) {
      auto header = line.initHeader();
      header.setFormatVersion(1);
      auto list = header.initJob().initTargetAccuracies(count);
      for (unsigned i = 0; i < count; ++i) list.set(i, 0.5);
    });
  };
  BOOST_TEST(bool(read_lines(targets(16))));
  BOOST_TEST(refusal(targets(17)).context.find("17 target accuracies, at most 16") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(lines_out_of_order_are_refused) {
  BOOST_TEST(corrupt(group_line(2, 0, 0, 1) + group_line(1, 0, 1, 1), "before the line above"));
  BOOST_TEST(corrupt(end_line(1) + group_line(2, 0, 0, 1), "follows the end"));
  BOOST_TEST(corrupt(header_line(), "another header"));
}

BOOST_AUTO_TEST_CASE(many_runs_share_the_memory_and_too_many_are_refused) {
  BOOST_TEST(bool(check_runs(60)));
  const Status many = check_runs(61);
  BOOST_REQUIRE(!many);
  BOOST_TEST((many.error().code == Errc::invalid_argument));
  BOOST_TEST(many.error().context.find("61 are more than the 60") != std::string::npos);
  BOOST_TEST(StoryLimits::of_one(0).groups == StoryLimits().groups);
  BOOST_TEST(60 * StoryLimits::of_one(60).groups <= StoryLimits().groups);
  BOOST_TEST(60 * StoryLimits::of_one(60).shares <= StoryLimits().shares);
}

// Goal: who edits a record, or whose disk does, is told where.
BOOST_AUTO_TEST_CASE(a_line_that_is_no_text_is_named) {
  const std::string text = header_line() + gone_line(1, 0, "why") + "{\"novelty\":\"\x80\"}\n";
  const Error error = read_story(write("run.jsonl", text)).error();
  BOOST_TEST((error.code == Errc::corruption));
  BOOST_TEST(error.context.find("run.jsonl, line 3: ") != std::string::npos, error.context);
  BOOST_TEST(error.context.ends_with("is no UTF-8; without this line the others can still be read"),
             error.context);
}

// Goal: a coordinator that takes over may know the run's time a little too short.
BOOST_AUTO_TEST_CASE(time_may_go_back_where_training_begins_anew) {
  const auto started = entry_line(1.9, [](auto entry) { entry.initStarted(); });
  const auto story =
      read_lines(header_line() + group_line(2, 0, 0, 1) + started + group_line(1.95, 0, 1, 0.5));
  BOOST_REQUIRE(bool(story));
  BOOST_TEST(story->groups[0].size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_start_says_whose_standby_took_over) {
  const auto started =
      entry_line(2, [](auto entry) { entry.initStarted().setReason("shard 1 died"); });
  const auto story = read_lines(header_line() + started);
  BOOST_REQUIRE(bool(story));
  BOOST_TEST(story->incidents.back().text ==
             "training from iteration 0 of 0, term 0, since a standby took over: shard 1 died");
  BOOST_TEST(story->totals.rollbacks == 0u);
}

BOOST_AUTO_TEST_CASE(gaps_add_up) {
  const auto gap = [](std::uint64_t lost) {
    return record_line([lost](schema::RecordLine::Builder line) { line.initGap().setLost(lost); });
  };
  const auto story = read_lines(header_line() + gap(3) + gap(4));
  BOOST_REQUIRE(bool(story));
  BOOST_TEST(story->lost == 7u);
  BOOST_TEST(!story->lost_more);
  BOOST_TEST(read_lines(header_line() + gap(0))->lost_more);
  BOOST_TEST(corrupt(gap(~std::uint64_t{0}), "number"));
}

// Goal: what a run wrote is never refused for its length, and what it comes to stays exact.
BOOST_AUTO_TEST_CASE(more_groups_than_there_is_room_for_are_thinned) {
  std::string lines = header_line();
  for (int i = 1; i <= 100; ++i)
    for (std::uint32_t worker : {0U, 1U})
      lines += group_line(i, worker, static_cast<std::uint64_t>(i), 0.5F);
  const auto story = read_lines(lines, {.groups = 16});
  BOOST_REQUIRE(bool(story));
  BOOST_TEST(story->thinned);
  BOOST_TEST(story->totals.groups == 200u);
  BOOST_TEST(story->totals.workers[1].samples == 3200u);
  BOOST_TEST(story->totals.workers[1].busy_s == 50);
  for (const auto& groups : story->groups) {
    BOOST_TEST(groups.size() <= 8u);
    BOOST_TEST(groups.size() >= 4u);
    BOOST_TEST(groups.back().run_s == 100);
    double compute_s = 0;
    for (const GroupMark& group : groups) compute_s += group.compute_s;
    BOOST_TEST(compute_s == 50);
  }
}

BOOST_AUTO_TEST_CASE(more_decisions_than_there_is_room_for_are_thinned) {
  std::string lines = header_line();
  for (int i = 1; i <= 100; ++i) lines += shares_line(i, {1, static_cast<std::uint32_t>(i)});
  for (const StoryLimits& limits : {StoryLimits{.decisions = 10}, StoryLimits{.shares = 20}}) {
    const auto story = read_lines(lines, limits);
    BOOST_REQUIRE(bool(story));
    BOOST_TEST(story->thinned);
    BOOST_TEST(story->totals.decisions == 100u);
    BOOST_TEST(story->decisions.size() <= 10u);
    BOOST_TEST(story->decisions.back().workers[1].blocks == 100u);
  }
}

// Goal: a curve may be thinned, but not the moment at which it met a target, nor its end.
BOOST_AUTO_TEST_CASE(more_evaluations_than_there_is_room_for_are_thinned) {
  std::string lines = header_line();
  for (int i = 1; i <= 101; ++i)
    lines += evaluation_line(i, static_cast<std::uint64_t>(i), i == 50 ? 0.5 : 0.004 * i);
  const auto story = read_lines(lines, {.evaluations = 10});
  BOOST_REQUIRE(bool(story));
  BOOST_TEST(story->thinned);
  BOOST_TEST(story->evaluations.size() <= 10u);
  BOOST_TEST(story->evaluations.size() >= 5u);
  BOOST_TEST(story->evaluations.back().run_s == 101);
  BOOST_TEST(story->totals.accuracy.value() == 0.404);
  BOOST_TEST(story->totals.seconds_to_accuracy[0].second.value() == 50);
  BOOST_TEST(!story->totals.seconds_to_accuracy[1].second);
}

// Goal: whatever a record repeats costs bounded memory, and what happened once is not crowded out.
BOOST_AUTO_TEST_CASE(more_incidents_than_there_is_room_for_are_thinned_kind_by_kind) {
  std::string lines = header_line() + gone_line(0, 1, std::string(10'000, 'x'));
  for (int i = 0; i < 1000; ++i) lines += "{\"gap\":{\"lost\":\"2\"}}\n";
  lines += gone_line(1, 0, "the last");
  const auto story = read_lines(lines, {.incidents = 10});
  BOOST_REQUIRE(bool(story));
  BOOST_TEST(story->thinned);
  BOOST_TEST(story->lost == 2000u);
  BOOST_TEST(story->totals.deaths == 2u);
  BOOST_TEST(story->incidents.size() <= 12u);
  BOOST_TEST(story->incidents.front().text.size() <= Incident::text_bytes_max);
  BOOST_TEST(story->incidents.back().text == "the last");
  std::uint64_t gaps = 0;
  for (const Incident& incident : story->incidents)
    if (incident.kind == Incident::Kind::gap) gaps += incident.joined;
  BOOST_TEST(gaps == 1000u);
}

BOOST_AUTO_TEST_SUITE_END()
