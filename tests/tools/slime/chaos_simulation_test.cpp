#include "tools/slime/chaos_simulation.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/cluster/tiny_job.hpp"
#include "tests/tools/slime/run_slime.hpp"
#include "tests/tools/slime/terminal.hpp"

using namespace slime;
using namespace slime::tests;
using slime::tools::ExitCode;

namespace chaos_simulation_test {

struct Verb : Terminal {
  ExitCode simulate(std::vector<std::string> more) {
    std::vector<std::string> words{"chaos", "--simulate"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

/// The seed that an outcome tells as violated, and how to replay it.
std::string replay_of(const std::string& out) {
  const std::string_view mark = "to replay: slime ";
  const std::size_t at = out.find(mark);
  BOOST_REQUIRE(at != std::string::npos);
  const std::size_t begin = at + mark.size();
  return out.substr(begin, out.find('\n', begin) - begin);
}

}  // namespace chaos_simulation_test

using chaos_simulation_test::replay_of;

BOOST_FIXTURE_TEST_SUITE(chaos_simulation_test, chaos_simulation_test::Verb)

BOOST_AUTO_TEST_CASE(one_seed_is_told_with_what_was_drawn) {
  BOOST_TEST((simulate({"--first", "7", "--seeds", "1"}) == ExitCode::ok));
  const std::string first = out.str();
  BOOST_TEST(first.starts_with("seed 7: "));
  BOOST_TEST(says("1 seeds from 7, 0 violated"));
  BOOST_TEST((simulate({"--first", "7", "--seeds", "1", "--json"}) == ExitCode::ok));
  BOOST_TEST(out.str().starts_with(R"({"seed":7,"ok":true,)"));
  BOOST_TEST(says(R"({"ok":true,"first":7,"seeds":1,"violated":0,)"));
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_told_before_anything_runs) {
  BOOST_TEST((simulate({"--faults", "kill,lss"}) == ExitCode::usage));
  BOOST_TEST(complains("--faults: there is no \"lss\"; did you mean \"loss\"?"));
  BOOST_TEST((simulate({"--plant", "early_akc"}) == ExitCode::usage));
  BOOST_TEST(complains("did you mean \"early_ack\"?"));
  BOOST_TEST((simulate({"absent.toml"}) == ExitCode::not_found));
  const TempDir folder;
  const TinyJob job(folder);
  BOOST_TEST((simulate({job.file().string(), "--set", "workers=9"}) == ExitCode::usage));
  BOOST_TEST(complains("at most 8 of each are simulated"));
  BOOST_TEST((run({"chaos"}) == ExitCode::usage));
  BOOST_TEST(complains("JOB.toml is missing"));
}

// Goal: as people use it: many seeds in several processes, and a bug in some of them that the
// command which it prints finds again.
BOOST_AUTO_TEST_CASE(a_planted_bug_ends_it_with_1_and_its_seed_replays) {
  const Outcome sound = run_slime("chaos --simulate --seeds 30 --jobs 2");
  BOOST_TEST_MESSAGE(sound.out + sound.err);
  BOOST_TEST(sound.code == 0);
  BOOST_TEST(sound.out.starts_with("30 seeds from 1, 0 violated"));
  const Outcome buggy =
      run_slime("chaos --simulate --seeds 30 --jobs 2 --plant early_ack --faults kill,loss");
  BOOST_TEST_MESSAGE(buggy.out + buggy.err);
  BOOST_TEST(buggy.code == 1);
  const std::string told = buggy.out.substr(0, buggy.out.find("  to replay"));
  const Outcome again = run_slime(replay_of(buggy.out));
  BOOST_TEST(again.code == 1);
  BOOST_TEST(again.out.starts_with(told), again.out);
}

// Goal: a job file gives how the jobs train; its data are not read.
BOOST_AUTO_TEST_CASE(the_jobs_train_as_a_job_file_says) {
  const TempDir folder;
  const TinyJob job(folder);
  std::filesystem::remove(job.images());
  BOOST_TEST((simulate({job.file().string(), "--set", "workers=3", "--first", "2", "--seeds",
                        "1"}) == ExitCode::ok));
  BOOST_TEST(out.str().starts_with("seed 2: bsp with equal, 3 workers, 2 shards"), out.str());
}

BOOST_AUTO_TEST_SUITE_END()
