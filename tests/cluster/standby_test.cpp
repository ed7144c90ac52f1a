// Shards with standbys, in processes that are killed.
#include <boost/test/unit_test.hpp>
#include <csignal>

#include "runtime/base/clock.hpp"
#include "tests/cluster/slime_process.hpp"
#include "tests/cluster/tiny_job.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;

namespace standby_test {

constexpr Duration patience = 40s;

int count(const std::string& text, std::string_view part) {
  int found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

struct Replicated : TempDir {
  const TinyJob job{*this};

  std::vector<std::string> train(const std::vector<std::string>& sets) const {
    std::vector<std::string> arguments{"train", job.file().string(), "--json"};
    for (const std::string& set : sets) arguments.insert(arguments.end(), {"--set", set});
    return arguments;
  }
  /// Kills the process of that name.
  void kill(const std::string& name) const {
    const auto found = processes_with({path().string(), "--name " + name});
    BOOST_REQUIRE_EQUAL(found.size(), 1U);
    ::kill(found.front(), SIGKILL);
  }
  /// Whether the run says so that many times before it ends.
  static bool says(SlimeProcess& run, std::string_view text, int times) {
    const Instant deadline = monotonic_now() + patience;
    while (count(run.err(), text) < times)
      if (monotonic_now() > deadline || run.wait(20ms)) return false;
    return true;
  }
  /// The parameters that a run ends with.
  static std::string parameters_of(SlimeProcess& run) {
    BOOST_TEST(run.wait(patience).value_or(-1) == 0);
    const std::string line = run.last_line();
    const std::size_t at = line.find("\"parameters_sha256\":\"");
    BOOST_REQUIRE(at != std::string::npos);
    return line.substr(at + 21, 64);
  }
};

}  // namespace standby_test

BOOST_FIXTURE_TEST_SUITE(standby_test, Replicated)

// Goal: with standbys the end of a shard's process costs no iteration, nor does that of the process
// which has both shards then.
BOOST_AUTO_TEST_CASE(killed_shards_with_standbys_take_the_job_nowhere) {
  SlimeProcess run(*this, train({"replicas=1", "epochs=12", "emulate.sample_us=2000"}));
  BOOST_REQUIRE(says(run, " has a standby on ", 2));
  kill("shard-1");
  BOOST_REQUIRE(says(run, "its standby took over at iteration ", 1));
  BOOST_REQUIRE(says(run, " has a standby on ", 4));
  kill("shard-0");
  BOOST_TEST(says(run, "its standby took over at iteration ", 3));
  const std::string disturbed = parameters_of(run);
  BOOST_TEST_MESSAGE(run.err());
  BOOST_TEST(count(run.err(), "rolling back") == 0);
  SlimeProcess calm(*this, train({"epochs=12", "checkpoint.directory=\"\""}));
  BOOST_TEST(disturbed == parameters_of(calm));
  BOOST_TEST(none_left(path().string(), 5s));
}

// Goal: one shard alone has its standby in a process of its own, too.
BOOST_AUTO_TEST_CASE(a_single_shard_has_its_standby_in_another_process) {
  SlimeProcess run(*this, train({"replicas=1", "shards=1", "emulate.sample_us=2000"}));
  BOOST_REQUIRE(says(run, "shard 0 has a standby on ", 1));
  const bool on_first = count(run.err(), "shard 0 has a standby on shard-1") == 1;
  kill(on_first ? "shard-0" : "shard-1");
  BOOST_TEST(says(run, "its standby took over at iteration ", 1));
  BOOST_TEST(parameters_of(run).size() == 64U);
  BOOST_TEST(count(run.err(), "rolling back") == 0);
}

BOOST_AUTO_TEST_SUITE_END()
