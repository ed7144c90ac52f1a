#include "tools/slime/chaos.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/cluster/tiny_job.hpp"
#include "tests/tools/slime/terminal.hpp"

using namespace slime;
using namespace slime::tests;
using slime::tools::ExitCode;

namespace chaos_test {

struct Verb : Terminal {
  const TempDir folder;
  const TinyJob job{folder};

  ExitCode chaos(std::vector<std::string> more) {
    std::vector<std::string> words{"chaos", job.file().string()};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

}  // namespace chaos_test

BOOST_FIXTURE_TEST_SUITE(chaos_test, chaos_test::Verb)

BOOST_AUTO_TEST_CASE(a_dry_run_prints_the_plan_of_its_seed_and_does_nothing) {
  const std::vector<std::string> words{"--dry-run", "--seed", "5", "--faults", "kill,stop"};
  BOOST_TEST((chaos(words) == ExitCode::ok));
  const std::string plan = out.str();
  BOOST_TEST(plan.starts_with("plan of 10 faults, seed 5\n"));
  BOOST_TEST(says("#10 "));
  BOOST_TEST((chaos(words) == ExitCode::ok));
  BOOST_TEST(out.str() == plan);
  BOOST_TEST(err.str() == "");
  BOOST_TEST(!std::filesystem::exists(job.checkpoints()));
}

BOOST_AUTO_TEST_CASE(without_a_seed_one_is_drawn_and_printed) {
  BOOST_TEST((chaos({"--dry-run", "--json"}) == ExitCode::ok));
  const std::string first = out.str();
  BOOST_TEST(first.starts_with(R"({"plan":{"seed":)"));
  BOOST_TEST((chaos({"--dry-run", "--json"}) == ExitCode::ok));
  BOOST_TEST(out.str() != first);
}

BOOST_AUTO_TEST_CASE(an_unknown_fault_or_target_is_answered_with_the_nearest) {
  BOOST_TEST((chaos({"--dry-run", "--faults", "kill,stpo"}) == ExitCode::usage));
  BOOST_TEST(complains("--faults: there is no \"stpo\"; did you mean \"stop\"?"));
  BOOST_TEST((chaos({"--dry-run", "--targets", "shards"}) == ExitCode::usage));
  BOOST_TEST(complains("--targets: there is no \"shards\"; did you mean \"shard\"?"));
  BOOST_TEST((chaos({"--dry-run", "--faults", "meteorite"}) == ExitCode::usage));
  BOOST_TEST(complains("known are kill, stop"));
  BOOST_TEST((chaos({"--dry-run", "--targets", "all,head"}) == ExitCode::usage));
  BOOST_TEST(complains("all and head do not go together"));
}

BOOST_AUTO_TEST_CASE(a_job_that_cannot_be_read_is_told_before_anything_runs) {
  BOOST_TEST((run({"chaos", (folder.path() / "absent.toml").string()}) == ExitCode::not_found));
  BOOST_TEST((chaos({"--set", "sync.mode=bps"}) == ExitCode::usage));
  BOOST_TEST(complains("did you mean \"bsp\"?"));
  std::filesystem::remove(job.images());
  BOOST_TEST((chaos({"--dry-run"}) == ExitCode::not_found));
  BOOST_TEST((chaos({"--count", "0"}) == ExitCode::usage));
}

BOOST_AUTO_TEST_CASE(a_folder_with_something_in_it_is_refused) {
  BOOST_TEST((chaos({"--directory", folder.path().string()}) == ExitCode::conflict));
  BOOST_TEST(complains("there is something in it"));
}

BOOST_AUTO_TEST_SUITE_END()
