#include "tools/slime/progress.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>

using namespace slime;
using namespace slime::tools;
using namespace std::chrono_literals;

namespace progress_test {

RunProgress some_progress() {
  RunProgress progress;
  progress.epoch = 3;
  progress.epochs = 8;
  progress.iteration = 700;
  progress.iterations = 1880;
  progress.seconds = 15.5;
  progress.samples_per_second = 11640.4;
  progress.test_accuracy = 0.8612;
  progress.shares = {0.29, 0.29, 0.29, 0.13};
  progress.idle_fraction = 0.031;
  progress.seconds_left = 25;
  return progress;
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

}  // namespace progress_test

BOOST_AUTO_TEST_SUITE(progress_test)

BOOST_AUTO_TEST_CASE(a_line_tells_how_far_how_good_how_fast_and_how_long) {
  BOOST_TEST(progress_line(some_progress(), 0) ==
             "epoch 3/8  iteration 700/1880  accuracy 0.8612  11640 images/s  shares 29 29 29 13 %"
             "  idle 3.1 %  left 0:25");
  RunProgress fresh;
  fresh.epoch = 1;
  fresh.epochs = 1;
  BOOST_TEST(progress_line(fresh, 0) == "epoch 1/1  iteration 0/0  - images/s  idle 0.0 %");
}

BOOST_AUTO_TEST_CASE(a_computed_interval_is_told_where_there_is_room) {
  RunProgress progress = some_progress();
  progress.checkpoint_seconds = 425;
  BOOST_TEST(progress_line(progress, 0).ends_with("left 0:25  a checkpoint every 7:05"));
  BOOST_TEST(progress_line(progress, 60) == progress_line(some_progress(), 60));
}

BOOST_AUTO_TEST_CASE(a_narrow_line_keeps_what_matters_most) {
  BOOST_TEST(progress_line(some_progress(), 60) ==
             "epoch 3/8  accuracy 0.8612  11640 images/s  left 0:25");
  for (unsigned width = 1; width < 130; ++width)
    BOOST_TEST(progress_line(some_progress(), width).size() <= width);
  BOOST_TEST(progress_line(some_progress(), 16) == "accuracy 0.8612");
}

BOOST_AUTO_TEST_CASE(many_workers_show_the_extremes_of_their_shares) {
  RunProgress progress = some_progress();
  progress.shares.assign(100, 0.01);
  progress.shares[3] = 0.002;
  BOOST_TEST(count(progress_line(progress, 0), "shares 0.2 to 1.0 %") == 1u);
}

BOOST_AUTO_TEST_CASE(times_are_read_as_clocks) {
  BOOST_TEST(clock_text(0) == "0:00");
  BOOST_TEST(clock_text(59.2) == "1:00");
  BOOST_TEST(clock_text(3723) == "1:02:03");
  BOOST_TEST(clock_text(-5) == "0:00");
  BOOST_TEST(clock_text(1e300) == "8784:00:00");
}

BOOST_AUTO_TEST_CASE(json_tells_of_copies_where_there_are_any) {
  RunProgress progress = some_progress();
  BOOST_TEST(count(progress_json(progress), "cop") == 0u);
  progress.checkpoint_copied = 600;
  progress.copies_failed = 2;
  BOOST_TEST(count(progress_json(progress), R"("checkpoint_copied":600,"copies_failed":2})") == 1u);
}

BOOST_AUTO_TEST_CASE(json_has_null_for_what_is_not_known_yet) {
  const std::string json = progress_json(RunProgress());
  BOOST_TEST(json ==
             R"({"progress":{"epoch":0,"epochs":0,"iteration":0,"iterations":0,"seconds":0,)"
             R"("samples_per_second":0,"test_accuracy":null,"shares":[],"idle_fraction":0,)"
             R"("seconds_left":null,"checkpoint_interval_seconds":null}})");
}

BOOST_AUTO_TEST_CASE(a_terminal_is_redrawn_at_most_five_times_a_second) {
  std::ostringstream out;
  ProgressPrinter printer(out, ProgressPrinter::Style::redraw);
  for (int i = 0; i <= 100; ++i) printer.update(some_progress(), Instant(i * 10ms), 80);
  BOOST_TEST(count(out.str(), "epoch") == 6u);
  BOOST_TEST(count(out.str(), "\n") == 0u);
  out.str("");
  printer.clear();
  printer.clear();
  BOOST_TEST(out.str() == "\r\x1b[K");
}

BOOST_AUTO_TEST_CASE(a_log_gets_a_plain_line_every_few_seconds) {
  std::ostringstream out;
  ProgressPrinter printer(out, ProgressPrinter::Style::lines);
  for (int i = 0; i <= 100; ++i) printer.update(some_progress(), Instant(i * 100ms), 0);
  BOOST_TEST(count(out.str(), "\n") == 3u);
  BOOST_TEST(count(out.str(), "\x1b") == 0u);
  printer.clear();
  BOOST_TEST(count(out.str(), "\x1b") == 0u);
}

BOOST_AUTO_TEST_CASE(a_script_gets_json_lines) {
  std::ostringstream out;
  ProgressPrinter printer(out, ProgressPrinter::Style::json);
  for (int i = 0; i <= 30; ++i) printer.update(some_progress(), Instant(i * 100ms), 0);
  BOOST_TEST(count(out.str(), "{\"progress\":{") == 4u);
  BOOST_TEST(count(out.str(), "\n") == 4u);
}

BOOST_AUTO_TEST_SUITE_END()
