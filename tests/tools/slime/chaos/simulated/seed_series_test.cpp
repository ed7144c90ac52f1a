#include "tools/slime/chaos/simulated/seed_series.hpp"

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <map>

#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::tests;
using namespace slime::tools;
using namespace std::chrono_literals;

namespace seed_series_test {

/// A program that says of each of its seeds that it is fine, but what `odd` does in some.
struct Series : TempDir {
  StopSignals signals;
  std::map<std::uint64_t, SeedOutcome> outcomes;

  SeedSeries::Settings settings(std::uint64_t first, std::uint64_t seeds, const std::string& odd) {
    const auto file = write("program", R"(#!/bin/sh
first=$2 seeds=$4
for seed in $(seq "$first" $((first + seeds - 1))); do
  case $seed in )" + odd + R"( esac
  echo "{\"seed\":$seed,\"ok\":true,\"hash\":\"1\"}"
done
)");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    SeedSeries::Settings settings;
    settings.program = file;
    settings.first = first;
    settings.seeds = seeds;
    settings.processes = 3;
    settings.on_outcome = [this](const SeedOutcome& outcome) {
      BOOST_TEST(outcomes.emplace(outcome.seed, outcome).second);
    };
    return settings;
  }
  std::size_t violated() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(outcomes, [](const auto& each) { return !each.second.ok(); }));
  }
};

}  // namespace seed_series_test

BOOST_FIXTURE_TEST_SUITE(seed_series_test, seed_series_test::Series)

BOOST_AUTO_TEST_CASE(each_seed_runs_once) {
  SeedSeries series(settings(5, 95, ""), signals);
  BOOST_TEST(bool(series.run()));
  BOOST_TEST(outcomes.size() == 95U);
  BOOST_TEST(outcomes.begin()->first == 5U);
  BOOST_TEST(violated() == 0U);
}

BOOST_AUTO_TEST_CASE(a_crash_costs_the_seed_that_it_happened_in) {
  SeedSeries series(settings(1, 60, "17) echo 'assertion failed'; kill -ABRT $$ ;;"), signals);
  BOOST_TEST(bool(series.run()));
  BOOST_TEST(outcomes.size() == 60U);
  BOOST_TEST(violated() == 1U);
  BOOST_REQUIRE(!outcomes[17].ok());
  BOOST_TEST(outcomes[17].violations.front().invariant == "no_crash");
  BOOST_TEST(outcomes[17].violations.front().evidence ==
             "its process ended by signal 6 (Aborted): assertion failed");
}

BOOST_AUTO_TEST_CASE(a_seed_that_never_ends_is_ended) {
  auto how = settings(1, 6, "3) exec sleep 600 ;;");
  how.stuck_after = 300ms;
  SeedSeries series(std::move(how), signals);
  BOOST_TEST(bool(series.run()));
  BOOST_TEST(outcomes.size() == 6U);
  BOOST_REQUIRE(!outcomes[3].ok());
  BOOST_TEST(outcomes[3].violations.front().invariant == "job_finished");
}

BOOST_AUTO_TEST_CASE(a_process_that_gives_up_ends_the_series_with_its_last_words) {
  SeedSeries series(settings(1, 6, "3) echo 'no paper left' >&2; exit 1 ;;"), signals);
  const Status done = series.run();
  BOOST_REQUIRE(!done);
  BOOST_TEST(done.error().context ==
             "running seed 3: its process gave up with exit code 1: no paper left");
  auto absent = settings(1, 6, "");
  absent.program = path() / "absent";
  BOOST_TEST((SeedSeries(std::move(absent), signals).run().error().code == Errc::io_error));
}

BOOST_AUTO_TEST_CASE(a_signal_ends_it) {
  SeedSeries series(settings(1, 6, "*) exec sleep 600 ;;"), signals);
  ::raise(SIGTERM);
  BOOST_TEST(!series.run());
  BOOST_TEST(series.interrupted().value_or(0) == SIGTERM);
}

BOOST_AUTO_TEST_SUITE_END()
