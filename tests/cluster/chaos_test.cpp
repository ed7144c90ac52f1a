#include <boost/test/unit_test.hpp>
#include <csignal>
#include <map>
#include <sstream>

#include "tests/cluster/slime_process.hpp"
#include "tests/cluster/tiny_job.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;

namespace chaos_test {

constexpr Duration patience = 100s;

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::size_t occurrences(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

/// How often each process was killed, by its number, as the injections tell.
std::map<std::string, int> kills(const std::string& out) {
  std::map<std::string, int> counted;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    if (!has(line, "SIGKILL to")) continue;
    for (std::size_t at = 0; (at = line.find("(pid ", at)) != std::string::npos; ++at)
      ++counted[line.substr(at + 5, line.find(')', at) - at - 5)];
  }
  return counted;
}

struct Chaos : TempDir {
  const TinyJob job{*this};

  std::vector<std::string> chaos(const std::vector<std::string>& more) const {
    std::vector<std::string> words{"chaos", job.file().string(), "--json", "--seed", "11"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

}  // namespace chaos_test

BOOST_FIXTURE_TEST_SUITE(chaos_test, chaos_test::Chaos)

BOOST_AUTO_TEST_CASE(a_job_survives_what_is_done_to_it_and_every_invariant_holds) {
  SlimeProcess run(*this, chaos({"--targets", "worker,shard,all", "--count", "6", "--pace", "2",
                                 "--faults", "kill,stop"}));
  const auto code = run.wait(chaos_test::patience);
  BOOST_TEST_MESSAGE(run.out() + run.err());
  BOOST_TEST(code.value_or(-1) == 0);
  const std::string result = run.last_line();
  BOOST_TEST(chaos_test::has(result, R"({"ok":true,"seed":11,"planned":6,"injected":6,)"));
  // The directory is inside the command.
  BOOST_TEST(chaos_test::occurrences(result, R"("verdict":"void")") == 1U);
  const auto killed = chaos_test::kills(run.out());
  BOOST_TEST(killed.size() >= 3U);
  for (const auto& [pid, times] : killed) BOOST_TEST(times == 1, pid << " was killed already");
  BOOST_TEST(none_left(path().string(), 5s));
  // The job's own folder is for the job alone.
  BOOST_TEST(!std::filesystem::exists(job.checkpoints()));
}

// Goal: must show 1 of the issue, in small; the command kills hundreds.
BOOST_AUTO_TEST_CASE(workers_shards_nodes_and_the_head_may_die_in_one_run) {
  SlimeProcess run(*this,
                   chaos({"--targets", "worker,shard,node,head", "--count", "6", "--pace", "2"}));
  const auto code = run.wait(chaos_test::patience);
  BOOST_TEST_MESSAGE(run.out() + run.err());
  BOOST_TEST(code.value_or(-1) == 0);
  const std::string result = run.last_line();
  BOOST_TEST(chaos_test::has(result, R"({"ok":true,"seed":11,"planned":6,"injected":6,)"));
  BOOST_TEST(chaos_test::occurrences(result, R"("verdict":"void")") == 0U);
  BOOST_TEST(chaos_test::has(run.out(), "SIGKILL to head (pid "));
  const auto killed = chaos_test::kills(run.out());
  for (const auto& [pid, times] : killed) BOOST_TEST(times == 1, pid << " was killed already");
  BOOST_TEST(none_left(path().string(), 5s));
}

// Goal: a tool that finds nothing may be one that looks at nothing. Method: the undisturbed run is
// said to have had other parameters, and the job is said to have more time than it has.
BOOST_AUTO_TEST_CASE(a_violation_ends_it_with_1_and_leaves_what_it_was_found_in) {
  const auto kept = path() / "kept";
  SlimeProcess run(*this, chaos({"--count", "1", "--expect", "abc", "--directory", kept.string()}));
  BOOST_TEST(run.wait(chaos_test::patience).value_or(-1) == 1);
  BOOST_TEST_MESSAGE(run.out() + run.err());
  BOOST_TEST(chaos_test::has(run.last_line(),
                             R"({"invariant":"parameters_as_undisturbed","verdict":"violated",)"));
  BOOST_TEST(chaos_test::has(run.err(), "records and logs are in " + kept.string()));
  BOOST_TEST(std::filesystem::exists(kept / "record-1.jsonl"));
  BOOST_TEST(std::filesystem::exists(kept / "checkpoints"));
}

BOOST_AUTO_TEST_CASE(a_signal_ends_it_and_everything_that_it_started) {
  SlimeProcess run(*this, chaos({"--pace", "60", "--expect", "abc"}));
  BOOST_REQUIRE(run.says(R"("plan")", chaos_test::patience));
  run.signal(SIGTERM);
  BOOST_TEST(run.wait(10s).value_or(0) == 128 + SIGTERM);
  BOOST_TEST(chaos_test::has(run.last_line(), R"("error":"interrupted")"));
  BOOST_TEST(none_left(path().string(), 5s));
}

BOOST_AUTO_TEST_SUITE_END()
