#include "tools/slime/job_files.hpp"

#include <poll.h>

#include <boost/test/unit_test.hpp>
#include <thread>

#include "storage/store_lock.hpp"
#include "tests/cluster/tiny_job.hpp"
#include "tests/storage/sample_checkpoint.hpp"
#include "tools/slime/settings/job_settings.hpp"

using namespace slime;
using namespace slime::tests;
using namespace slime::tools;

namespace job_files_test {

struct Files : TempDir {
  const TinyJob job{*this};
  const Environment environment;

  runtime::Message<schema::JobSpec> read(std::vector<std::string> sets = {}) const {
    return read_settings({job.file(), environment, sets})->job;
  }
  Status check(std::vector<std::string> sets = {}) const {
    return read(std::move(sets)).read([](auto spec) { return check_files(spec); });
  }
};

}  // namespace job_files_test

BOOST_FIXTURE_TEST_SUITE(job_files_test, Files)

BOOST_AUTO_TEST_CASE(relative_paths_start_from_the_base_and_absolute_ones_stay) {
  const auto spec = with_absolute_paths(
      read({"data.train=[\"a\", \"/b\"]", "checkpoint.directory=runs/../kept"}), "/base");
  spec.read([this](schema::JobSpec::Reader job_spec) {
    BOOST_TEST(job_spec.getData().getTrain()[0].cStr() == "/base/a");
    BOOST_TEST(job_spec.getData().getTrain()[1].cStr() == "/b");
    BOOST_TEST(job_spec.getCheckpoint().getDirectory().cStr() == "/base/kept");
    BOOST_TEST(job_spec.getBatch() == 64U);
  });
  with_absolute_paths(read({"checkpoint.directory=\"\""}), "/base").read([](auto job_spec) {
    BOOST_TEST(job_spec.getCheckpoint().getDirectory().size() == 0U);
  });
}

BOOST_AUTO_TEST_CASE(every_data_file_has_to_be_there) {
  BOOST_TEST(bool(check()));
  const auto absent = check({"data.test=[\"/nowhere/images\", \"/nowhere/labels\"]"});
  BOOST_REQUIRE(!absent);
  BOOST_TEST((absent.error().code == Errc::not_found));
  BOOST_TEST(absent.error().context == "data.test: /nowhere/images: there is no such file");
  const std::string folder = path().string();
  BOOST_TEST(check({"data.train=[\"" + folder + "\", \"x\"]"}).error().context ==
             "data.train: " + folder + ": that is no file");
}

BOOST_AUTO_TEST_CASE(a_checkpoint_folder_that_cannot_be_made_is_refused_at_once) {
  const std::string file = write("file", "x").string();
  for (const std::string& directory : {std::string("/proc/nope"), file, file + "/below"}) {
    const auto refused = check({"checkpoint.directory=" + directory});
    BOOST_REQUIRE(!refused);
    BOOST_TEST((refused.error().code == Errc::io_error));
    BOOST_TEST(refused.error().context.starts_with("checkpoint.directory: " + directory));
  }
}

// Goal: a second place is never made, for that would be on the wrong disk where it is not mounted.
BOOST_AUTO_TEST_CASE(a_second_place_has_to_be_there_and_be_another_one) {
  const auto place = path() / "second";
  const std::string copies = "checkpoint.copy_to=" + place.string();
  const auto absent = check({copies});
  BOOST_REQUIRE(!absent);
  BOOST_TEST((absent.error().code == Errc::not_found));
  BOOST_TEST(absent.error().context.find("mount what belongs there") != std::string::npos);
  BOOST_TEST(!std::filesystem::exists(place));
  std::filesystem::create_directory(place);
  BOOST_TEST(bool(check({copies})));
  std::filesystem::create_directories(job.checkpoints());
  std::filesystem::remove(place);
  std::filesystem::create_directory_symlink(job.checkpoints(), place);
  BOOST_TEST((check({copies}).error().code == Errc::invalid_argument));
  const auto spec = with_absolute_paths(read({"checkpoint.copy_to=runs/../kept"}), "/base");
  spec.read([](schema::JobSpec::Reader job_spec) {
    BOOST_TEST(job_spec.getCheckpoint().getCopyTo().cStr() == "/base/kept");
  });
}

BOOST_AUTO_TEST_CASE(a_store_that_another_process_writes_to_is_refused) {
  const auto store = job.checkpoints() / "head";
  std::filesystem::create_directories(store);
  BOOST_TEST(bool(check()));
  {
    const auto held = storage::StoreLock::acquire(store);
    BOOST_REQUIRE(bool(held));
    const auto refused = check();
    BOOST_REQUIRE(!refused);
    BOOST_TEST((refused.error().code == Errc::already_exists));
    BOOST_TEST(refused.error().context.find("holds it") != std::string::npos);
  }
  BOOST_TEST(bool(check()));
}

// Goal: a run that follows at once upon a killed one does not fail over a process that is on its
// way out: until all of its threads were scheduled once more it holds its locks.
BOOST_AUTO_TEST_CASE(a_store_whose_holder_is_about_to_go_is_waited_for) {
  const auto store = job.checkpoints() / "head";
  std::filesystem::create_directories(store);
  auto held = storage::StoreLock::acquire(store);
  BOOST_REQUIRE(bool(held));
  std::thread dying([lock = std::move(*held)] { ::poll(nullptr, 0, 100); });
  BOOST_TEST(bool(check()));
  dying.join();
}

BOOST_AUTO_TEST_CASE(whether_there_is_a_checkpoint_is_known_without_reading_it) {
  const auto checkpoints = [&](const std::string& set, const std::string& more = "workers=2") {
    return read({set, more}).read([](auto spec) { return check_checkpoints(spec, "head"); });
  };
  const std::string there = "checkpoint.directory=" + job.checkpoints().string();
  BOOST_TEST((checkpoints("checkpoint.directory=").error().code == Errc::not_found));
  BOOST_TEST((checkpoints(there).error().code == Errc::not_found));
  {
    auto store =
        storage::CheckpointStore::open(job.checkpoints() / "head", storage::OpenMode::create);
    BOOST_TEST((checkpoints(there).error().code == Errc::not_found));
    BOOST_REQUIRE(bool(slime::tests::save(*store, {1, 10}, slime::tests::numbers(100, 1))));
  }
  BOOST_TEST(bool(checkpoints(there)));
  // A copy does as well.
  const std::string elsewhere = "checkpoint.directory=" + (path() / "elsewhere").string();
  const std::string copies = "checkpoint.copy_to=";
  BOOST_TEST(bool(checkpoints(elsewhere, copies + job.checkpoints().string())));
  BOOST_TEST((checkpoints(elsewhere, copies + "/nowhere").error().context.find("nor in /nowhere") !=
              std::string::npos));
  for (const auto& entry : std::filesystem::directory_iterator(job.checkpoints() / "head"))
    if (entry.is_regular_file() && entry.path().filename() != "FORMAT")
      std::filesystem::resize_file(entry.path(), 0);
  BOOST_TEST((checkpoints(there).error().code == Errc::corruption));
}

BOOST_AUTO_TEST_SUITE_END()
