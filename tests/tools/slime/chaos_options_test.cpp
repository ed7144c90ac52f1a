#include "tools/slime/chaos_options.hpp"

#include <boost/test/unit_test.hpp>

#include "tools/slime/chaos/fault_kinds.hpp"

using namespace slime;
using namespace slime::tools;

namespace chaos_options_test {

/// Whether the words make a command line; `options` is what they say.
bool reads(const std::vector<std::string>& words, ChaosOptions& options) {
  CLI::App parser;
  describe(parser, options);
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  try {
    parser.parse(std::move(reversed));
  } catch (const CLI::ParseError& failure) {
    BOOST_TEST_MESSAGE(failure.what());
    return false;
  }
  return true;
}

bool reads(const std::vector<std::string>& words) {
  ChaosOptions options;
  return reads(words, options);
}

}  // namespace chaos_options_test

using namespace chaos_options_test;

BOOST_AUTO_TEST_SUITE(chaos_options_test)

BOOST_AUTO_TEST_CASE(both_kinds_of_run_have_their_own_words) {
  ChaosOptions real;
  BOOST_TEST(reads({"job.toml", "--seed", "7", "--faults", "kill,stop", "--count", "3"}, real));
  BOOST_TEST(real.job == "job.toml");
  BOOST_TEST(real.seed.value_or(0) == 7U);
  BOOST_TEST(real.faults.size() == 2U);
  BOOST_TEST(!real.simulate);
  ChaosOptions simulated;
  BOOST_TEST(reads({"--simulate", "--first", "5", "--seeds", "9", "--jobs", "0"}, simulated));
  BOOST_TEST(simulated.simulate);
  BOOST_TEST(simulated.first == 5U);
  BOOST_TEST(simulated.seeds == 9U);
  BOOST_TEST(simulated.processes == 0U);
  BOOST_TEST(simulated.job == "");
}

BOOST_AUTO_TEST_CASE(words_of_the_other_kind_are_refused) {
  for (const char* word : {"--seed=1", "--targets=worker", "--count=2", "--pace=1", "--expect=a",
                           "--directory=d", "--dry-run", "--stuck-after=5"})
    BOOST_TEST(!reads({"--simulate", word}), word);
  for (const char* word : {"--first=1", "--seeds=2", "--jobs=1", "--plant=early_ack"})
    BOOST_TEST(!reads({"job.toml", word}), word);
  BOOST_TEST(!reads({"--simulate", "--set", "workers=2"}));
  BOOST_TEST(!reads({"--simulate", "--seeds", "0"}));
}

BOOST_AUTO_TEST_CASE(entries_are_found_by_name_each_once) {
  const auto found = entries_named(fault_kinds(), {"stop", "kill", "stop"}, "--faults");
  BOOST_REQUIRE(bool(found));
  BOOST_TEST(found->size() == 2U);
  BOOST_TEST(found->front()->name == "stop");
  const auto unknown = entries_named(fault_kinds(), {"stpo"}, "--faults");
  BOOST_REQUIRE(!unknown);
  BOOST_TEST(unknown.error().context == "--faults: there is no \"stpo\"; did you mean \"stop\"?");
}

BOOST_AUTO_TEST_SUITE_END()
