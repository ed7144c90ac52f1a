#include "tools/slime/checkpoint_show.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/storage/tree_bytes.hpp"
#include "tests/tools/slime/stored_model.hpp"
#include "tests/tools/slime/terminal.hpp"

using namespace slime::tools;
using slime::tests::Terminal;

namespace checkpoint_show_test {

struct Shown : slime::tests::StoredModel, Terminal {
  Shown() {
    save({1, 10}, 0.75);
    save({1, 20}, 0.5);
  }
  ExitCode show(const std::vector<std::string>& more) {
    std::vector<std::string> words{"checkpoint", "show"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  const std::string folder = directory.string();
};

}  // namespace checkpoint_show_test

BOOST_FIXTURE_TEST_SUITE(checkpoint_show_test, Shown)

BOOST_AUTO_TEST_CASE(the_checkpoint_that_is_named_is_shown_and_nothing_changed) {
  const auto before = slime::tests::tree_bytes(directory);
  BOOST_TEST((show({folder}) == ExitCode::ok));
  BOOST_TEST(says("iteration 20 (term 1)"));
  BOOST_TEST((show({folder, "best"}) == ExitCode::ok));
  BOOST_TEST(says("iteration 10 (term 1)"));
  const auto job = write("job.toml", "[checkpoint]\ndirectory = \"" + folder + "\"\n").string();
  BOOST_TEST((show({job, "10", "--json"}) == ExitCode::ok));
  BOOST_TEST(says("{\"ok\":true,\"iteration\":10,"));
  BOOST_TEST(err.str() == "");
  BOOST_TEST((slime::tests::tree_bytes(directory) == before));
}

BOOST_AUTO_TEST_CASE(failures_end_with_their_codes) {
  BOOST_TEST((show({}) == ExitCode::usage));
  BOOST_TEST((show({folder, "newst"}) == ExitCode::usage));
  BOOST_TEST(complains("did you mean \"newest\"?"));
  BOOST_TEST((show({folder, "11"}) == ExitCode::not_found));
  BOOST_TEST(complains("iterations 10, 20"));
  BOOST_TEST((show({"/nowhere", "--json"}) == ExitCode::not_found));
  BOOST_TEST(says("\"error\":\"not_found\""));
  std::filesystem::remove_all(directory / "aside");
  BOOST_TEST((show({folder}) == ExitCode::corrupt));
}

BOOST_AUTO_TEST_SUITE_END()
