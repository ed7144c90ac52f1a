#include "tools/slime/checkpoint_pin.hpp"

#include <boost/test/unit_test.hpp>

#include "storage/pins.hpp"
#include "tests/tools/slime/stored_model.hpp"
#include "tests/tools/slime/terminal.hpp"

using namespace slime;
using namespace slime::tools;
using slime::tests::Terminal;

namespace checkpoint_pin_test {

struct Pinning : slime::tests::StoredModel, Terminal {
  Pinning() {
    save({1, 10}, 0.75);
    save({1, 20}, 0.5);
  }
  ExitCode type(const std::string& verb, const std::vector<std::string>& more) {
    std::vector<std::string> words{"checkpoint", verb};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  std::set<storage::CheckpointId> pins() const {
    return storage::pinned_checkpoints(directory).value();
  }
  const std::string folder = directory.string();
};

}  // namespace checkpoint_pin_test

BOOST_FIXTURE_TEST_SUITE(checkpoint_pin_test, Pinning)

// Method: a store whose writer holds it, as in a running job.
BOOST_AUTO_TEST_CASE(a_checkpoint_is_pinned_by_its_name_while_its_store_is_in_use) {
  const auto writer =
      storage::CheckpointStore::open(directory / "head", storage::OpenMode::read_write);
  BOOST_TEST((type("pin", {folder + "@best"}) == ExitCode::ok));
  BOOST_TEST(says("iteration 10 (term 1) is pinned now\n"));
  BOOST_TEST((pins() == std::set<storage::CheckpointId>{{1, 10}}));
  BOOST_TEST((type("pin", {folder + "@10", "--json"}) == ExitCode::ok));
  BOOST_TEST(says(R"("iteration":10,"term":1,"pinned":true,"changed":false})"));
  const auto job = write("job.toml", "[checkpoint]\ndirectory = \"" + folder + "\"\n").string();
  BOOST_TEST((type("pin", {job}) == ExitCode::ok));
  BOOST_TEST((pins() == std::set<storage::CheckpointId>{{1, 10}, {1, 20}}));
  BOOST_TEST((type("unpin", {folder + "@10"}) == ExitCode::ok));
  BOOST_TEST(says("iteration 10 (term 1) is not pinned now\n"));
  BOOST_TEST((type("unpin", {folder + "@10"}) == ExitCode::ok));
  BOOST_TEST(says("iteration 10 (term 1) was not pinned already\n"));
  BOOST_TEST((pins() == std::set<storage::CheckpointId>{{1, 20}}));
}

BOOST_AUTO_TEST_CASE(a_pin_whose_checkpoint_is_gone_can_be_given_up) {
  BOOST_REQUIRE((type("pin", {folder + "@10"}) == ExitCode::ok));
  for (const std::string node : {"head", "aside"}) {
    auto store = storage::CheckpointStore::open(directory / node, storage::OpenMode::read_write);
    BOOST_REQUIRE(bool(store->remove({1, 10})));
  }
  BOOST_TEST((type("pin", {folder + "@10"}) == ExitCode::not_found));
  BOOST_TEST((type("unpin", {folder + "@10"}) == ExitCode::ok));
  BOOST_TEST(pins().empty());
  BOOST_TEST((type("unpin", {folder + "@10"}) == ExitCode::not_found));
}

// Goal: what is given up is a pin, though a newer checkpoint of that iteration has none. Method:
// one iteration in three terms, as rollbacks leave it; the two older ones are pinned.
BOOST_AUTO_TEST_CASE(a_pin_is_given_up_whichever_term_it_is_of) {
  BOOST_REQUIRE((type("pin", {folder + "@20"}) == ExitCode::ok));
  save({2, 20});
  BOOST_REQUIRE((type("pin", {folder + "@20"}) == ExitCode::ok));
  save({3, 20});
  BOOST_REQUIRE((pins() == std::set<storage::CheckpointId>{{1, 20}, {2, 20}}));
  BOOST_TEST((type("unpin", {folder + "@20"}) == ExitCode::ok));
  BOOST_TEST(says("iteration 20 (term 2) is not pinned now\n"));
  BOOST_TEST((type("unpin", {folder + "@20"}) == ExitCode::ok));
  BOOST_TEST(says("iteration 20 (term 1) is not pinned now\n"));
  BOOST_TEST(pins().empty());
  BOOST_TEST((type("unpin", {folder + "@20"}) == ExitCode::ok));
  BOOST_TEST(says("iteration 20 (term 3) was not pinned already\n"));
}

BOOST_AUTO_TEST_CASE(failures_end_with_their_codes) {
  BOOST_TEST((type("pin", {}) == ExitCode::usage));
  BOOST_TEST((type("pin", {folder + "@bst"}) == ExitCode::usage));
  BOOST_TEST(complains("did you mean \"best\"?"));
  BOOST_TEST((type("unpin", {folder + "@11"}) == ExitCode::not_found));
  BOOST_TEST(complains("iterations 10, 20"));
  BOOST_TEST((type("pin", {"/nowhere", "--json"}) == ExitCode::not_found));
  BOOST_TEST(says("\"error\":\"not_found\""));
  BOOST_TEST(!std::filesystem::exists(directory / "pins"));
}

BOOST_AUTO_TEST_SUITE_END()
