#include "tools/slime/chaos/simulated/seed_outcome.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::tools;

namespace seed_outcome_test {

SeedOutcome violated() {
  return {.seed = 17,
          .drawn = "bsp with equal, \"quoted\"",
          .strikes = {{"kill", 2}, {"loss", 1}},
          .violations = {{"job_finished", "no end after 300 s"}},
          .seconds = 1.25,
          .deliveries = 4711,
          .log = {"1.2 s a shard: gone"},
          .hash = "00ff00ff00ff00ff"};
}

}  // namespace seed_outcome_test

BOOST_AUTO_TEST_SUITE(seed_outcome_test)

BOOST_AUTO_TEST_CASE(a_line_reads_back_as_what_it_was_written_from) {
  for (const SeedOutcome& outcome : {violated(), SeedOutcome{.seed = 1, .hash = "0"}}) {
    const std::string line = outcome_json(outcome);
    BOOST_TEST(line.find('\n') == std::string::npos);
    const auto back = read_outcome(line);
    BOOST_REQUIRE(bool(back));
    BOOST_TEST((*back == outcome), line);
  }
  BOOST_TEST(outcome_json(violated()).find("\"ok\":false") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_is_no_such_line_is_refused) {
  for (const char* line : {"", "{", "terminate called", "{\"seed\":\"x\"}", "{\"seed\":-1}", "[1]",
                           "{\"drawn\":7}", "\xff"}) {
    const auto read = read_outcome(line);
    BOOST_REQUIRE(!read);
    BOOST_TEST((read.error().code == Errc::corruption));
  }
}

BOOST_AUTO_TEST_CASE(people_read_the_seed_and_a_line_for_each_violation) {
  const std::string text = outcome_text(violated());
  BOOST_TEST(text.starts_with("seed 17: bsp with equal"));
  BOOST_TEST(text.find("\n  violated job_finished: no end after 300 s\n") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
