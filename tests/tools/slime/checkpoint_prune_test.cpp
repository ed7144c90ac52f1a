#include "tools/slime/checkpoint_prune.hpp"

#include <boost/test/unit_test.hpp>

#include "storage/newest_valid.hpp"
#include "storage/pins.hpp"
#include "tests/storage/tree_bytes.hpp"
#include "tests/tools/slime/stored_model.hpp"
#include "tests/tools/slime/terminal.hpp"

using namespace slime;
using namespace slime::tools;
using slime::tests::Terminal;

namespace checkpoint_prune_test {

struct Pruning : slime::tests::StoredModel, Terminal {
  Pruning() {
    save({1, 10}, 0.75);
    save({1, 20}, 0.5);
    save({1, 30});
    save({1, 40}, 0.25);
    save({1, 50});
  }
  ExitCode prune(const std::vector<std::string>& more) {
    std::vector<std::string> words{"checkpoint", "prune", folder};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  /// Iterations that are there, each of them whole.
  std::vector<std::uint64_t> left() const {
    std::vector<std::uint64_t> iterations;
    const auto head =
        storage::CheckpointStore::open(directory / "head", storage::OpenMode::read_only);
    for (const auto id : head->list()) {
      BOOST_TEST(bool(storage::verify(directory, "head", id)));
      iterations.push_back(id.iteration);
    }
    return iterations;
  }
  const std::string folder = directory.string();
};

}  // namespace checkpoint_prune_test

BOOST_FIXTURE_TEST_SUITE(checkpoint_prune_test, Pruning)

BOOST_AUTO_TEST_CASE(rules_keep_and_the_rest_goes) {
  BOOST_REQUIRE(bool(storage::pin_checkpoint(directory, {1, 20})));
  BOOST_TEST((prune({"--keep", "1", "--keep-best", "1", "--keep-every", "40"}) == ExitCode::ok));
  BOOST_TEST((left() == std::vector<std::uint64_t>{10, 20, 40, 50}));
  BOOST_TEST(says("       10    1   0.7500  kept: best\n"));
  BOOST_TEST(says("       20    1   0.5000  kept: pinned\n"));
  BOOST_TEST(says("       30    1        -  removed\n"));
  BOOST_TEST(says("       40    1   0.2500  kept: every\n"));
  BOOST_TEST((prune({"--keep-best", "1", "--json"}) == ExitCode::ok));
  BOOST_TEST(says(R"({"ok":true,"dry_run":false,"kept":[{"iteration":10,"term":1,"store":"head",)"
                  R"("accuracy":0.75,"damaged":false,"because":["best"]},)"));
  BOOST_TEST(says(R"("removed":[{"iteration":40,)"));
  BOOST_TEST((left() == std::vector<std::uint64_t>{10, 20, 50}));
}

// Goal: what --dry-run says is what happens, and it may be asked while the job runs.
BOOST_AUTO_TEST_CASE(a_dry_run_only_tells) {
  const auto before = slime::tests::tree_bytes(directory);
  BOOST_TEST((prune({"--keep", "2", "--dry-run"}) == ExitCode::ok));
  BOOST_TEST(says("would be removed"));
  BOOST_TEST((prune({"--keep", "2", "--dry-run", "--json"}) == ExitCode::ok));
  BOOST_TEST(says(R"("dry_run":true)"));
  BOOST_TEST((slime::tests::tree_bytes(directory) == before));
  const auto writer =
      storage::CheckpointStore::open(directory / "aside", storage::OpenMode::read_write);
  BOOST_TEST((prune({"--keep", "2", "--dry-run"}) == ExitCode::ok));
  // Case E1.
  BOOST_TEST((prune({"--keep", "2"}) == ExitCode::conflict));
  BOOST_TEST(complains((directory / "aside").string()));
  BOOST_TEST(complains("pid "));
  BOOST_TEST(left().size() == 5u);
}

BOOST_AUTO_TEST_CASE(failures_end_with_their_codes) {
  BOOST_TEST((prune({}) == ExitCode::usage));
  BOOST_TEST(complains("say what to keep"));
  BOOST_TEST((prune({"--keep", "0"}) == ExitCode::usage));
  BOOST_TEST((prune({"--keep", "-1"}) == ExitCode::usage));
  BOOST_TEST((run({"checkpoint", "prune", "/nowhere", "--keep", "1"}) == ExitCode::not_found));
  std::filesystem::resize_file(directory / "head" / "CURRENT", 0);
  BOOST_TEST((prune({"--keep", "1", "--json"}) == ExitCode::corrupt));
  BOOST_TEST(says("\"error\":\"corruption\""));
}

BOOST_AUTO_TEST_SUITE_END()
