#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/sim/training_job.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
namespace data = boost::unit_test::data;

namespace {

struct SmallData : TempDir {
  SmallData() { write_small_data(*this); }
};

void print_events(const runtime::Message<schema::Progress>& progress) {
  progress.read([](schema::Progress::Reader read) {
    BOOST_TEST_MESSAGE("state " << static_cast<int>(read.getState()) << " iteration "
                                << read.getIteration() << " of " << read.getIterations());
    for (const auto event : read.getEvents()) BOOST_TEST_MESSAGE(event.getText().cStr());
  });
}

// The hash that a job ends with, or why it did not.
std::string outcome(TrainingJob& job, Duration limit) {
  const auto progress = job.run(limit);
  if (!progress) return "the coordinator never answered";
  print_events(*progress);
  return progress->read([](schema::Progress::Reader read) -> std::string {
    if (read.getState() == schema::JobState::FINISHED) return read.getParametersSha256().cStr();
    return "state " + std::to_string(static_cast<int>(read.getState())) + " at iteration " +
           std::to_string(read.getIteration()) + ": " + read.getFailure().getContext().cStr();
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(training_sim_test)

BOOST_FIXTURE_TEST_CASE(an_undisturbed_job_finishes, SmallData) {
  TrainingJob job(1, {}, {}, *this);
  const std::string result = outcome(job, 600s);
  BOOST_TEST(result.size() == 64u);
  BOOST_TEST_MESSAGE(result);
}

BOOST_AUTO_TEST_SUITE_END()
