#include "tools/slime/record/comparison.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>

using namespace slime::tools;

namespace comparison_test {

RunFigures run(const std::string& mode, std::uint32_t workers = 2) {
  RunFigures figures;
  figures.file = "/data/" + mode + ".jsonl";
  figures.name = "job";
  figures.how = "finished";
  figures.mode = mode;
  figures.iterations = 60;
  figures.lead_mean = 0.5;
  figures.lead_max = 2;
  figures.seconds = 12.34;
  figures.accuracy = 0.86;
  figures.makespan_ratio = 1.125;
  figures.seconds_to_accuracy = {{0.8, 3.5}, {0.9, std::nullopt}};
  for (std::uint32_t i = 0; i < workers; ++i)
    figures.workers.push_back({.id = i, .samples = 100 + i, .idle_fraction = 0.01 * i});
  return figures;
}

/// The line that begins with `label`, without the label and runs of spaces.
std::string line(const std::string& text, const std::string& label) {
  std::istringstream lines(text);
  for (std::string one; std::getline(lines, one);) {
    if (!one.starts_with(label + "  ")) continue;
    std::istringstream words(one.substr(label.size()));
    std::string joined;
    for (std::string word; words >> word;) joined += (joined.empty() ? "" : " ") + word;
    return joined;
  }
  return "";
}

}  // namespace comparison_test

BOOST_AUTO_TEST_SUITE(comparison_test)

BOOST_AUTO_TEST_CASE(each_run_has_its_column) {
  const std::vector<RunFigures> runs{run("bsp"), run("a_dsp")};
  const std::string text = comparison_text(runs);
  BOOST_TEST(line(text, "mode") == "bsp a_dsp");
  BOOST_TEST(line(text, "record") == "bsp.jsonl a_dsp.jsonl");
  BOOST_TEST(line(text, "run time") == "12.3 s 12.3 s");
  BOOST_TEST(line(text, "time to accuracy 0.8") == "3.5 s 3.5 s");
  BOOST_TEST(line(text, "time to accuracy 0.9") == "- -");
  BOOST_TEST(line(text, "makespan ratio") == "1.125 1.125");
  BOOST_TEST(line(text, "final accuracy") == "0.8600 0.8600");
  BOOST_TEST(line(text, "iterations") == "60 60");
  BOOST_TEST(line(text, "staleness, mean and most") == "0.50, 2 0.50, 2");
  BOOST_TEST(line(text, "worker 1") == "101 samples, idle 1.0 % 101 samples, idle 1.0 %");
}

BOOST_AUTO_TEST_CASE(what_a_run_has_not_is_a_dash) {
  RunFigures bare = run("bsp", 1);
  bare.makespan_ratio.reset();
  bare.accuracy.reset();
  bare.seconds_to_accuracy.clear();
  const std::vector<RunFigures> runs{bare, run("asp")};
  const std::string text = comparison_text(runs);
  BOOST_TEST(line(text, "makespan ratio") == "- 1.125");
  BOOST_TEST(line(text, "final accuracy") == "- 0.8600");
  BOOST_TEST(line(text, "time to accuracy 0.8") == "- 3.5 s");
  BOOST_TEST(line(text, "worker 1") == "- 101 samples, idle 1.0 %");
}

BOOST_AUTO_TEST_CASE(of_many_workers_the_extremes_are_shown) {
  const std::vector<RunFigures> runs{run("bsp", 40)};
  const std::string text = comparison_text(runs);
  BOOST_TEST(line(text, "least idle worker") == "0.0 %");
  BOOST_TEST(line(text, "most idle worker") == "39.0 %");
  BOOST_TEST(line(text, "worker 1").empty());
}

BOOST_AUTO_TEST_CASE(a_name_cannot_break_the_table) {
  RunFigures strange = run("bsp");
  strange.name = "a\nb\x1b[31m" + std::string(500, 'x');
  const std::vector<RunFigures> runs{strange};
  const std::string text = comparison_text(runs);
  BOOST_TEST(text.find('\x1b') == std::string::npos);
  BOOST_TEST(line(text, "run").starts_with("a b"));
  BOOST_TEST(line(text, "run").size() < 100u);
}

BOOST_AUTO_TEST_SUITE_END()
