#include "tools/slime/chaos/chaos_run.hpp"

#include <boost/test/unit_test.hpp>
#include <csignal>

#include "tests/cluster/slime_process.hpp"
#include "tests/cluster/tiny_job.hpp"
#include "tests/support/build_places.hpp"

using namespace slime;
using namespace slime::tests;
using namespace slime::tools;
using namespace std::chrono_literals;

namespace chaos_run_test {

struct Disturbed : TempDir {
  const TinyJob job{*this};

  ChaosRun::Settings settings(std::vector<PlannedFault> faults = {}) const {
    for (const char* name : {"work", "private"}) std::filesystem::create_directories(path() / name);
    ChaosRun::Settings settings;
    settings.program = SLIME_BINARY_DIR "/bin/slime";
    settings.job = {job.file().string()};
    settings.checkpoints = job.checkpoints();
    settings.folder = path() / "work";
    settings.runtime_directory = path() / "private";
    settings.plan = {.samples = 640, .batch = 64, .block = 16, .epochs = 6};
    settings.committed = true;
    settings.faults = std::move(faults);
    return settings;
  }
  static const FaultTarget* target(std::string_view name) {
    return &*std::ranges::find(fault_targets(), name, &FaultTarget::name);
  }
  /// A program in place of slime.
  std::string script(const std::string& body) const {
    const auto file = write("program", "#!/bin/sh\n" + body);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }
};

}  // namespace chaos_run_test

BOOST_FIXTURE_TEST_SUITE(chaos_run_test, chaos_run_test::Disturbed)

BOOST_AUTO_TEST_CASE(a_run_without_faults_is_one_that_nothing_happens_to) {
  StopSignals signals;
  ChaosRun run(settings(), signals);
  const auto outcome = run.run();
  BOOST_REQUIRE(bool(outcome));
  BOOST_TEST(outcome->ended_well);
  BOOST_TEST(outcome->end == "exit code 0");
  BOOST_TEST(outcome->commands == 1U);
  BOOST_TEST(outcome->left.empty());
  BOOST_TEST(outcome->trace.account(60).exact == 60U);
  BOOST_TEST(outcome->trace.checkpoints().size() == 6U);
  BOOST_TEST(outcome->trace.end()->parameters_sha256.size() == 64U);
  BOOST_TEST(none_left(path().string(), 5s));
}

// Goal: the same job goes on, as one account, under the command after the one that was killed.
BOOST_AUTO_TEST_CASE(a_killed_command_is_followed_by_one_that_resumes) {
  auto how =
      settings({{.fault = &fault_kinds().front(), .target = target("all"), .iteration = 25}});
  how.job.insert(how.job.end(), {"--set", "emulate.sample_us=2000"});
  std::vector<std::string> told;
  how.on_fault = [&told](const InjectedFault& fault) { told.push_back(fault.done); };
  StopSignals signals;
  ChaosRun run(std::move(how), signals);
  const auto outcome = run.run();
  BOOST_REQUIRE(bool(outcome));
  BOOST_TEST(outcome->ended_well, outcome->end);
  BOOST_TEST(outcome->commands == 2U);
  BOOST_TEST(outcome->trace.resumes() == 1U);
  BOOST_TEST(outcome->trace.broken_promises().empty());
  BOOST_TEST(outcome->trace.account(60).wrong_count == 0U);
  BOOST_REQUIRE(told.size() == 1U);
  BOOST_TEST(told.front().find("SIGKILL to slime train (pid ") == 0U);
  BOOST_TEST(outcome->injected.front().reached >= 25U);
  BOOST_TEST(none_left(path().string(), 5s));
}

// Goal: a head's death costs nothing that was done: no rollback, and no other command.
BOOST_AUTO_TEST_CASE(a_job_goes_on_under_the_next_process_of_its_head) {
  auto how =
      settings({{.fault = &fault_kinds().front(), .target = target("head"), .iteration = 25}});
  how.job.insert(how.job.end(), {"--set", "emulate.sample_us=4000"});
  how.durable = {2, 2};
  StopSignals signals;
  ChaosRun run(std::move(how), signals);
  const auto outcome = run.run();
  BOOST_REQUIRE(bool(outcome));
  BOOST_TEST(outcome->ended_well, outcome->end);
  BOOST_TEST(outcome->commands == 1U);
  BOOST_TEST(outcome->injected.size() == 1U);
  BOOST_TEST(outcome->trace.rollbacks() == 0U);
  BOOST_TEST(outcome->trace.broken_promises().empty());
  BOOST_TEST(outcome->trace.account(60).wrong_count == 0U);
  BOOST_TEST(outcome->left.empty());
  BOOST_REQUIRE(outcome->directory.has_value());
  BOOST_TEST(outcome->directory->names() > 4U);
  BOOST_TEST(outcome->directory->moves() > 0U);
  BOOST_TEST(!outcome->directory->violation().has_value());
  BOOST_TEST(none_left(path().string(), 5s));
}

BOOST_AUTO_TEST_CASE(a_command_that_fails_ends_the_run_with_its_last_words) {
  auto how = settings();
  how.program = script("echo working; echo no paper left >&2; exit 3\n");
  StopSignals signals;
  ChaosRun run(std::move(how), signals);
  const auto outcome = run.run();
  BOOST_REQUIRE(bool(outcome));
  BOOST_TEST(!outcome->ended_well);
  BOOST_TEST(outcome->end == "exit code 3; its last words: no paper left");
  BOOST_TEST(!outcome->trace.end().has_value());
}

BOOST_AUTO_TEST_CASE(a_command_that_says_nothing_hangs) {
  auto how = settings();
  how.program = script("exec sleep 600\n");
  how.stuck_after = 200ms;
  StopSignals signals;
  ChaosRun run(std::move(how), signals);
  const auto outcome = run.run();
  BOOST_REQUIRE(bool(outcome));
  BOOST_TEST(!outcome->ended_well);
  BOOST_TEST(outcome->end.find("the record has said nothing for") == 0U);
}

BOOST_AUTO_TEST_CASE(a_signal_ends_it) {
  auto how = settings();
  how.program = script("exec sleep 600\n");
  StopSignals signals;
  ChaosRun run(std::move(how), signals);
  ::raise(SIGTERM);
  const auto outcome = run.run();
  BOOST_REQUIRE(!outcome);
  BOOST_TEST(run.interrupted().value_or(0) == SIGTERM);
}

BOOST_AUTO_TEST_CASE(a_program_that_cannot_be_started_is_an_error) {
  auto how = settings();
  how.program = path() / "absent";
  StopSignals signals;
  ChaosRun run(std::move(how), signals);
  BOOST_TEST((run.run().error().code == Errc::io_error));
}

BOOST_AUTO_TEST_SUITE_END()
