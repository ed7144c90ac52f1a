// Checkpoints that are kept at a second place, with the real program.
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>
#include <string>

#include "tests/cluster/slime_process.hpp"
#include "tests/cluster/tiny_job.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;

namespace second_place_test {

constexpr Duration patience = 40s;

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

struct Places : TempDir {
  Places() { std::filesystem::create_directory(second); }

  std::vector<std::string> train(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"train", job.file().string(), "--json", "--set",
                               "checkpoint.copy_to=" + second.string()});
    return more;
  }
  /// What is at the end of a job to which nothing happens.
  static std::string parameters(const SlimeProcess& run) {
    const std::string result = run.last_line();
    const std::size_t at = result.find("\"parameters_sha256\"");
    return at == std::string::npos ? "" : result.substr(at, 90);
  }

  const TinyJob job{*this};
  const std::filesystem::path second = path() / "second";
};

}  // namespace second_place_test

BOOST_FIXTURE_TEST_SUITE(second_place_test, Places)

// Goal: with its processes and its folder gone, a job is where its newest copy was.
BOOST_AUTO_TEST_CASE(a_job_goes_on_from_its_copies_when_its_folder_is_lost) {
  {
    SlimeProcess run(*this, train({"--set", "emulate.sample_us=2000"}));
    BOOST_REQUIRE(run.says("checkpoint of iteration 20 was copied to", patience));
    for (const pid_t process : processes_with({path().string()})) ::kill(process, SIGKILL);
    BOOST_TEST(run.wait(5s).value_or(0) == -SIGKILL);
    BOOST_TEST(none_left(path().string(), 5s));
  }
  std::filesystem::remove_all(job.checkpoints());
  SlimeProcess list(*this, {"checkpoint", "list", second.string(), "--json"});
  BOOST_TEST(list.wait(patience).value_or(-1) == 0);
  BOOST_TEST(has(list.out(), "\"iteration\":20"));

  SlimeProcess resumed(*this, train({"--resume"}));
  BOOST_REQUIRE_MESSAGE(resumed.wait(patience).value_or(-1) == 0, resumed.err());
  BOOST_TEST(has(resumed.err(), "checkpoints of checkpoint.directory are lost"));
  BOOST_TEST(!has(resumed.last_line(), "\"resumed_from\":null"));
  BOOST_TEST(has(resumed.last_line(), "\"copied\":60,\"copies_failed\":0"));
  for (const auto& place : {job.checkpoints(), second}) {
    SlimeProcess verify(*this, {"checkpoint", "verify", place.string()});
    BOOST_TEST(verify.wait(patience).value_or(-1) == 0);
  }
  const Places calm;
  SlimeProcess undisturbed(calm, calm.train());
  BOOST_REQUIRE(undisturbed.wait(patience).value_or(-1) == 0);
  BOOST_TEST(parameters(undisturbed).size() == 90U);
  BOOST_TEST(parameters(resumed) == parameters(undisturbed));
}

// Goal: a place that is away for a while costs warnings, and a slip is told before anything starts.
BOOST_AUTO_TEST_CASE(a_place_that_is_away_is_told_and_used_when_it_is_back) {
  std::filesystem::remove(second);
  SlimeProcess refused(*this, train());
  BOOST_TEST(refused.wait(patience).value_or(-1) == 4);
  BOOST_TEST(has(refused.err(), "mount what belongs there"));
  std::filesystem::create_directory(second);
  SlimeProcess run(*this, train({"--set", "emulate.sample_us=2000"}));
  BOOST_REQUIRE(run.says("training from iteration 0", patience));
  std::filesystem::remove(second);
  BOOST_REQUIRE(run.says("could not be copied to", patience));
  std::filesystem::create_directory(second);
  BOOST_REQUIRE_MESSAGE(run.wait(patience).value_or(-1) == 0, run.err());
  BOOST_TEST(has(run.last_line(), "\"copied\":60"));
  BOOST_TEST(!has(run.last_line(), "\"copies_failed\":0"));
}

BOOST_AUTO_TEST_SUITE_END()
