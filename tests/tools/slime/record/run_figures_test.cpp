#include "tools/slime/record/run_figures.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/tools/slime/record/sample_record.hpp"

using namespace slime;
using namespace slime::tests;
using namespace slime::tools;

BOOST_AUTO_TEST_SUITE(run_figures_test)

BOOST_AUTO_TEST_CASE(the_last_report_says_what_a_whole_run_came_to) {
  const RunFigures figures = figures_of(*read_lines(sample_record() + end_line(10.5)));
  BOOST_TEST(figures.name == "sample");
  BOOST_TEST(figures.how == "finished");
  BOOST_TEST(figures.mode == "a_dsp");
  BOOST_TEST(figures.policy == "adapt_fr");
  BOOST_TEST(figures.shards == 3u);
  BOOST_TEST(figures.seconds == 10.5);
  BOOST_TEST(figures.iterations == 20u);
  BOOST_TEST(figures.samples == 640u);
  BOOST_TEST(figures.accuracy.value() == 0.75);
  BOOST_TEST(figures.makespan_ratio.value() == 2);
  BOOST_TEST(figures.seconds_to_accuracy.size() == 1u);
  BOOST_TEST(figures.seconds_to_accuracy[0].second.value() == 4);
  BOOST_TEST(figures.workers[1].samples == 240u);
  BOOST_TEST(figures.workers[1].idle_fraction == 0.25);
  BOOST_TEST(figures.groups == 20u);
  BOOST_TEST(figures.lead_mean == 0.5);
  BOOST_TEST(figures.lead_max == 1u);
  BOOST_TEST(figures.decisions == 2u);
  BOOST_TEST(figures.deaths == 1u);
}

BOOST_AUTO_TEST_CASE(without_one_what_happened_is_added_up) {
  const RunFigures figures = figures_of(*read_lines(sample_record()));
  BOOST_TEST(figures.how == "not ended");
  BOOST_TEST(figures.seconds == 10);
  BOOST_TEST(figures.samples == 640u);
  BOOST_TEST(figures.workers[0].samples == 320u);
  BOOST_TEST(figures.workers[0].idle_fraction == 0.5);
  BOOST_TEST(figures.workers[1].idle_fraction == 0.25);
  BOOST_TEST(figures.accuracy.value() == 0.6);
  BOOST_TEST(figures.seconds_to_accuracy[0].second.value() == 10);
  BOOST_TEST(!figures.seconds_to_accuracy[1].second);
  BOOST_TEST(!figures.makespan_ratio);
  BOOST_TEST(figures.rollbacks == 1u);
}

// Goal: work that another worker was faster with is no work of the run, and an iteration is done
// when all of its samples are applied, not when somebody is ahead in it.
BOOST_AUTO_TEST_CASE(refused_groups_do_not_count_and_iterations_are_those_of_the_frontier) {
  const auto group = [](double run_s, std::uint64_t iteration, std::uint32_t lead,
                        std::uint32_t samples) {
    return entry_line(run_s, [&](schema::RecordEntry::Builder entry) {
      auto seal = entry.initGroup();
      seal.setIteration(iteration);
      seal.setLead(lead);
      seal.setSamples(samples);
      seal.setComputeSeconds(1);
    });
  };
  std::string lines = header_line() + group(1, 5, 0, 32) + group(2, 9, 3, 32) + group(3, 17, 8, 0);
  RunFigures figures = figures_of(*read_lines(lines));
  BOOST_TEST(figures.iterations == 9u);
  BOOST_TEST(figures.groups == 2u);
  BOOST_TEST(figures.samples == 64u);
  BOOST_TEST(figures.lead_max == 3u);
  BOOST_TEST(figures.lead_mean == 1.5);
  // The worker was at work for all three.
  BOOST_TEST(figures.workers[0].idle_fraction == 0);
  lines += entry_line(4, [](schema::RecordEntry::Builder entry) {
    entry.initRolledBack().setFromIteration(9);
    entry.getRolledBack().setToIteration(4);
  });
  BOOST_TEST(figures_of(*read_lines(lines)).iterations == 4u);
}

// Goal: what became of a run is said as far as its record knows.
BOOST_AUTO_TEST_CASE(a_run_ends_as_its_last_line_says) {
  const auto how = [](schema::JobState state, const char* reason) {
    return figures_of(
               *read_lines(header_line() + record_line([&](schema::RecordLine::Builder line) {
                             line.initEnd().setState(state);
                             line.getEnd().setReason(reason);
                             line.getEnd().initProgress();
                           })))
        .how;
  };
  BOOST_TEST(how(schema::JobState::FINISHED, "") == "finished");
  BOOST_TEST(how(schema::JobState::FAILED, "a reason") == "failed");
  BOOST_TEST(how(schema::JobState::STOPPED, "") == "stopped");
  BOOST_TEST(how(schema::JobState::TRAINING, "") == "interrupted");
  // The command gave it up.
  BOOST_TEST(how(schema::JobState::TRAINING, "no worker for 60 s") == "failed");
}

BOOST_AUTO_TEST_CASE(a_run_that_did_nothing_has_figures) {
  const RunFigures figures = figures_of(*read_lines(header_line()));
  BOOST_TEST(figures.workers.size() == 2u);
  BOOST_TEST(!figures.accuracy);
  BOOST_TEST(figures_json(figures).find(R"("test_accuracy":null)") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(scripts_get_every_figure) {
  const std::string json = figures_json(figures_of(*read_lines(sample_record() + end_line(10.5))));
  for (const char* part :
       {R"("name":"sample")", R"("end":"finished")", R"("seconds":10.5)", R"("makespan_ratio":2)",
        R"("time_to_accuracy":{"0.5":4})", R"({"id":1,"samples":240,"idle_fraction":0.25})"})
    BOOST_TEST(json.find(part) != std::string::npos, json);
}

BOOST_AUTO_TEST_SUITE_END()
