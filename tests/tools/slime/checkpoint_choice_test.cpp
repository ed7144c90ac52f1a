#include "tools/slime/checkpoint_choice.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

#include "tests/storage/sample_checkpoint.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::tools;
namespace fs = std::filesystem;

namespace {

/// Four checkpoints, the last two after a rollback.
struct FourCheckpoints : slime::tests::TempDir {
  FourCheckpoints() {
    auto store = storage::CheckpointStore::open(directory / "head", storage::OpenMode::create);
    save(*store, {1, 10}, 0.75);
    save(*store, {1, 20}, std::numeric_limits<double>::quiet_NaN());
    save(*store, {2, 15}, 0.75);
    save(*store, {2, 20}, 0.5);
  }

  static void save(storage::CheckpointStore& store, storage::CheckpointId id, double accuracy) {
    const auto part = slime::tests::write_range(store, id, slime::tests::numbers(100, 1), 0, 100);
    BOOST_REQUIRE(bool(part));
    const std::string node = "head";
    const auto manifest = slime::tests::manifest_of(id, std::span(&node, 1), std::span(&*part, 1));
    BOOST_REQUIRE(bool(store.commit(storage::Manifest::make([&](auto root) {
      manifest.read([&](auto read) {
        root.setTerm(id.term);
        root.setIteration(id.iteration);
        root.setParts(read.getParts());
        root.setTensors(read.getTensors());
      });
      root.setAccuracy(accuracy);
    }))));
  }

  storage::CheckpointId chosen(const std::string& which) const {
    const auto choice = choose_checkpoint(directory, which);
    return choice ? storage::id_of(choice->manifest) : storage::CheckpointId{};
  }

  const fs::path directory = path() / "runs";
};

}  // namespace

BOOST_AUTO_TEST_SUITE(checkpoint_choice_test)

BOOST_AUTO_TEST_CASE(the_last_at_sign_ends_the_path) {
  BOOST_TEST(checkpoint_name("runs/job").path == "runs/job");
  BOOST_TEST(checkpoint_name("runs/job").which == "newest");
  BOOST_TEST(checkpoint_name("me@here/job@20").path == "me@here/job");
  BOOST_TEST(checkpoint_name("me@here/job@20").which == "20");
  const slime::tests::TempDir folder;
  const std::string whole = folder.write("job@3.toml", "").string();
  BOOST_TEST(checkpoint_name(whole).path == whole);
  BOOST_TEST(checkpoint_name(whole + "@best").path == whole);
}

BOOST_FIXTURE_TEST_CASE(iterations_and_words_name_a_checkpoint, FourCheckpoints) {
  BOOST_TEST((chosen("newest") == storage::CheckpointId{2, 20}));
  BOOST_TEST((chosen("best") == storage::CheckpointId{2, 15}));
  BOOST_TEST((chosen("10") == storage::CheckpointId{1, 10}));
  BOOST_TEST((chosen("20") == storage::CheckpointId{2, 20}));
}

BOOST_FIXTURE_TEST_CASE(a_directory_and_a_job_file_are_equal, FourCheckpoints) {
  const auto job = write("job.toml", "[checkpoint]\ndirectory = \"" + directory.string() + "\"\n");
  for (const auto& text : {directory.string() + "@15", job.string() + "@15"}) {
    const auto choice = choose_checkpoint(text, Environment{});
    BOOST_REQUIRE(bool(choice));
    BOOST_TEST((storage::id_of(choice->manifest) == storage::CheckpointId{2, 15}));
    BOOST_TEST(choice->head == "head");
    BOOST_TEST(choice->stores->directory() == directory);
  }
}

BOOST_FIXTURE_TEST_CASE(errors_say_what_there_is, FourCheckpoints) {
  const auto unknown = choose_checkpoint(directory, "11");
  BOOST_TEST((unknown.error().code == Errc::not_found));
  BOOST_TEST(unknown.error().context.ends_with("there are those of iterations 10, 20, 15, 20"));
  const auto typed = choose_checkpoint(directory, "newst");
  BOOST_TEST((typed.error().code == Errc::invalid_argument));
  BOOST_TEST(typed.error().context.ends_with("did you mean \"newest\"?"));
  BOOST_TEST((choose_checkpoint(directory, "-1").error().code == Errc::invalid_argument));
  BOOST_TEST((choose_checkpoint(directory, "").error().code == Errc::invalid_argument));
  BOOST_TEST((choose_checkpoint(path() / "absent", "best").error().code == Errc::not_found));
  BOOST_TEST((choose_checkpoint("/nowhere@1", Environment{}).error().code == Errc::not_found));
}

BOOST_AUTO_TEST_CASE(best_needs_a_measured_accuracy) {
  const slime::tests::TempDir folder;
  auto store =
      storage::CheckpointStore::open(folder.path() / "head", storage::OpenMode::create).value();
  BOOST_TEST((choose_checkpoint(folder.path(), "best").error().code == Errc::not_found));
  BOOST_REQUIRE(bool(slime::tests::save(store, {1, 10}, slime::tests::numbers(100, 1))));
  const auto best = choose_checkpoint(folder.path(), "best");
  BOOST_TEST((best.error().code == Errc::not_found));
  BOOST_TEST(best.error().context.find("iterations 10") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
