#include "tools/slime/checkpoint_copy.hpp"

#include <boost/test/unit_test.hpp>

#include "storage/newest_valid.hpp"
#include "tests/tools/slime/stored_model.hpp"
#include "tests/tools/slime/terminal.hpp"

using namespace slime;
using namespace slime::tools;
using slime::tests::Terminal;

namespace checkpoint_copy_test {

struct Copying : slime::tests::StoredModel, Terminal {
  Copying() {
    save({1, 10}, 0.75);
    save({1, 20}, 0.5);
  }
  ExitCode copy(const std::vector<std::string>& more) {
    std::vector<std::string> words{"checkpoint", "copy"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  const std::string folder = directory.string();
  const std::string second = (path() / "second" / "place").string();
};

}  // namespace checkpoint_copy_test

BOOST_FIXTURE_TEST_SUITE(checkpoint_copy_test, Copying)

// Method: a source whose writer holds it, as in a running job.
BOOST_AUTO_TEST_CASE(the_checkpoint_that_is_named_is_copied_and_once_only) {
  const auto writer =
      storage::CheckpointStore::open(directory / "head", storage::OpenMode::read_write);
  BOOST_TEST((copy({folder + "@best", second}) == ExitCode::ok));
  BOOST_TEST(out.str() == second + "@10\n");
  BOOST_TEST(complains("300080 bytes written"));
  BOOST_TEST(bool(storage::verify(second, "head", {1, 10})));
  BOOST_TEST((copy({folder + "@10", second, "--json"}) == ExitCode::ok));
  BOOST_TEST(says(R"("iteration":10,"term":1,"was_there":true,"parts":0,"written_bytes":0,)"));
  BOOST_TEST((copy({folder, second, "--node", "another"}) == ExitCode::ok));
  BOOST_TEST(bool(storage::verify(second, "another", {1, 20})));
  // As the other verbs read it.
  BOOST_TEST((run({"checkpoint", "diff", second + "@10", folder + "@10"}) == ExitCode::ok));
}

BOOST_AUTO_TEST_CASE(failures_end_with_their_codes) {
  BOOST_TEST((copy({folder}) == ExitCode::usage));
  BOOST_TEST((copy({folder + "@11", second}) == ExitCode::not_found));
  BOOST_TEST(complains("iterations 10, 20"));
  BOOST_TEST((copy({folder, folder}) == ExitCode::usage));
  BOOST_TEST(complains("to itself"));
  BOOST_TEST((copy({folder, second, "--node", ".."}) == ExitCode::usage));
  BOOST_TEST(!std::filesystem::exists(second));
  {
    const auto held = storage::CheckpointStore::open(second + "/head", storage::OpenMode::create);
    BOOST_TEST((copy({folder, second}) == ExitCode::conflict));
    BOOST_TEST(complains("holds it"));
  }
  std::filesystem::remove_all(directory / "aside");
  BOOST_TEST((copy({folder, second, "--json"}) == ExitCode::corrupt));
  BOOST_TEST(says("\"error\":\"corruption\""));
}

BOOST_AUTO_TEST_SUITE_END()
