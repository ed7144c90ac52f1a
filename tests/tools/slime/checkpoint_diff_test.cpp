#include "tools/slime/checkpoint_diff.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/tools/slime/stored_model.hpp"
#include "tests/tools/slime/terminal.hpp"

using namespace slime::tools;
using slime::tests::Terminal;

namespace checkpoint_diff_test {

struct Compared : slime::tests::StoredModel, Terminal {
  Compared() {
    save({1, 10}, 0.75);
    model.values[0] += 1;
    save({1, 20}, 0.5);
  }
  ExitCode diff(const std::vector<std::string>& more) {
    std::vector<std::string> words{"checkpoint", "diff"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  const std::string folder = directory.string();
};

}  // namespace checkpoint_diff_test

BOOST_FIXTURE_TEST_SUITE(checkpoint_diff_test, Compared)

BOOST_AUTO_TEST_CASE(two_checkpoints_of_folders_and_jobs_are_compared) {
  BOOST_TEST((diff({folder + "@best", folder}) == ExitCode::ok));
  BOOST_TEST(says("A: iteration 10 (term 1)\nB: iteration 20 (term 1)\n"));
  BOOST_TEST(says("1 of 4 tensors differ\n"));
  const auto job = write("job.toml", "[checkpoint]\ndirectory = \"" + folder + "\"\n").string();
  BOOST_TEST((diff({job + "@20", folder + "@newest", "--json"}) == ExitCode::ok));
  BOOST_TEST(says("{\"ok\":true,\"equal\":true,"));
}

BOOST_AUTO_TEST_CASE(failures_end_with_their_codes) {
  BOOST_TEST((diff({folder}) == ExitCode::usage));
  BOOST_TEST((diff({folder, folder + "@bset"}) == ExitCode::usage));
  BOOST_TEST(complains("did you mean \"best\"?"));
  BOOST_TEST((diff({folder + "@11", folder}) == ExitCode::not_found));
  tensors = {{"w", {model.values.size()}, 0, model.values.size()}};
  save({1, 30});
  BOOST_TEST((diff({folder + "@20", folder}) == ExitCode::usage));
  BOOST_TEST(complains("\"0.weight\""));
  std::filesystem::remove_all(directory / "aside");
  BOOST_TEST((diff({folder + "@10", folder + "@20"}) == ExitCode::corrupt));
}

BOOST_AUTO_TEST_SUITE_END()
