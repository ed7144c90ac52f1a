#include "tools/slime/checkpoint_table.hpp"

#include <stdlib.h>
#include <sys/inotify.h>

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <limits>

#include "storage/pins.hpp"
#include "tests/storage/sample_checkpoint.hpp"
#include "tests/support/temp_dir.hpp"
#include "tools/slime/descriptor.hpp"

using namespace slime;
using namespace slime::tools;
namespace fs = std::filesystem;

namespace checkpoint_table_test {

/// Two checkpoints in a closed store; `newest` is the block file of the second.
struct TwoCheckpoints : slime::tests::TempDir {
  TwoCheckpoints() {
    auto store = storage::CheckpointStore::open(head, storage::OpenMode::create).value();
    BOOST_REQUIRE(bool(slime::tests::save(store, {1, 10}, slime::tests::numbers(20'000, 1))));
    BOOST_REQUIRE(bool(slime::tests::save(store, {1, 20}, slime::tests::numbers(20'000, 2))));
  }

  void spoil_newest() const {
    fs::path newest;
    for (const auto& entry : fs::directory_iterator(head)) {
      const bool is_table = entry.path().extension() == ".sst" && entry.file_size() > 100'000;
      if (is_table && (newest.empty() || entry.path() > newest)) newest = entry.path();
    }
    std::fstream file(newest, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(50'000);
    file.write("spoilt", 6);
  }

  const fs::path head = path() / "head";
};

}  // namespace checkpoint_table_test

BOOST_AUTO_TEST_SUITE(checkpoint_table_test)

BOOST_FIXTURE_TEST_CASE(checkpoints_are_read_whole_and_told_oldest_first, TwoCheckpoints) {
  const auto rows = read_checkpoints(path());
  BOOST_REQUIRE(bool(rows));
  BOOST_REQUIRE(rows->size() == 2U);
  BOOST_TEST((*rows)[0].iteration == 10U);
  BOOST_TEST((*rows)[1].iteration == 20U);
  for (const CheckpointRow& row : *rows) {
    BOOST_TEST(!row.damage);
    BOOST_TEST(row.store == "head");
    BOOST_TEST(row.parts == 1U);
    BOOST_TEST(row.bytes == 160'000U);
    BOOST_TEST(row.own_bytes == 160'000U);
  }
}

BOOST_FIXTURE_TEST_CASE(a_damaged_one_is_told_with_the_reason, TwoCheckpoints) {
  spoil_newest();
  const auto rows = read_checkpoints(path());
  BOOST_REQUIRE(bool(rows));
  BOOST_TEST(!(*rows)[0].damage);
  BOOST_REQUIRE(bool((*rows)[1].damage));
  BOOST_TEST(((*rows)[1].damage->code == Errc::corruption));
}

BOOST_FIXTURE_TEST_CASE(what_did_not_change_is_told_as_shared, TwoCheckpoints) {
  {
    auto store = storage::CheckpointStore::open(head, storage::OpenMode::read_write).value();
    auto numbers = slime::tests::numbers(20'000, 2);
    numbers.values[0] += 1;
    BOOST_REQUIRE(bool(slime::tests::save(store, {1, 30}, numbers)));
  }
  const auto rows = read_checkpoints(path());
  BOOST_REQUIRE(bool(rows));
  BOOST_TEST(rows->back().own_bytes == 65'536U);
  BOOST_TEST(rows->back().shared_bytes == 160'000U - 65'536U);
}

BOOST_FIXTURE_TEST_CASE(a_store_beyond_reading_hides_no_checkpoint_of_another, TwoCheckpoints) {
  const auto other = path() / "aside";
  { BOOST_REQUIRE(bool(storage::CheckpointStore::open(other, storage::OpenMode::create))); }
  fs::resize_file(other / "CURRENT", 0);
  BOOST_TEST(read_checkpoints(path())->size() == 2U);
  fs::remove_all(head);
  BOOST_TEST((read_checkpoints(path()).error().code == Errc::corruption));
}

// Method: each time that a store is salvaged, a folder is made in the one that TMPDIR names.
BOOST_FIXTURE_TEST_CASE(a_damaged_store_is_salvaged_once_for_all_rows, TwoCheckpoints) {
  fs::remove(head / "CURRENT");
  const slime::tests::TempDir temporary;
  const fs::path before = fs::temp_directory_path();
  const Descriptor made(::inotify_init1(IN_NONBLOCK));
  BOOST_REQUIRE(::inotify_add_watch(made.number(), temporary.path().c_str(), IN_CREATE) >= 0);
  ::setenv("TMPDIR", temporary.path().c_str(), 1);
  const auto rows = read_checkpoints(path());
  ::setenv("TMPDIR", before.c_str(), 1);
  BOOST_REQUIRE(bool(rows));
  BOOST_TEST(rows->size() == 2U);
  for (const CheckpointRow& row : *rows) BOOST_TEST(!row.damage);
  alignas(inotify_event) char events[4096];
  const ssize_t bytes = ::read(made.number(), events, sizeof events);
  BOOST_REQUIRE(bytes > 0);
  int folders = 0;
  for (ssize_t at = 0; at < bytes; ++folders)
    at += static_cast<ssize_t>(sizeof(inotify_event) +
                               reinterpret_cast<const inotify_event*>(events + at)->len);
  BOOST_TEST(folders == 1);
}

BOOST_FIXTURE_TEST_CASE(a_store_in_use_is_read_beside_its_writer, TwoCheckpoints) {
  const auto writer = storage::CheckpointStore::open(head, storage::OpenMode::read_write);
  BOOST_REQUIRE(bool(writer));
  BOOST_TEST(read_checkpoints(path())->size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(pins_are_told, TwoCheckpoints) {
  BOOST_REQUIRE(bool(storage::pin_checkpoint(path(), {1, 10})));
  const auto rows = read_checkpoints(path());
  BOOST_REQUIRE(bool(rows));
  BOOST_TEST(rows->front().pinned);
  BOOST_TEST(!rows->back().pinned);
}

BOOST_FIXTURE_TEST_CASE(nothing_there_is_said, slime::tests::TempDir) {
  BOOST_TEST((read_checkpoints(path() / "absent").error().code == Errc::not_found));
  BOOST_TEST((read_checkpoints(path()).error().code == Errc::not_found));
  std::filesystem::create_directories(path() / "no-store");
  BOOST_TEST((read_checkpoints(path()).error().code == Errc::not_found));
}

BOOST_AUTO_TEST_CASE(people_and_scripts_read_the_same) {
  CheckpointRow good;
  good.iteration = 10;
  good.term = 2;
  good.store = "head";
  good.epoch = 1;
  good.samples = 640;
  good.accuracy = 0.5;
  good.bytes = 3 << 20;
  good.own_bytes = 1 << 20;
  good.shared_bytes = 2 << 20;
  good.parts = 2;
  good.pinned = true;
  good.wall_time_us = 1'700'000'000'000'000;
  CheckpointRow bad;
  bad.iteration = 20;
  bad.term = 2;
  bad.store = "head";
  bad.accuracy = std::numeric_limits<double>::quiet_NaN();
  bad.damage = Error{Errc::corruption, "block 3 is \"torn\""};
  BOOST_TEST(
      checkpoints_json({good, bad}) ==
      R"({"ok":false,"checkpoints":[{"iteration":10,"term":2,"epoch":1,"samples":640,)"
      R"("accuracy":0.5,"bytes":3145728,"own_bytes":1048576,"shared_bytes":2097152,"parts":2,)"
      R"("store":"head","wall_time_us":1700000000000000,)"
      R"("pinned":true,"valid":true},)"
      R"({"iteration":20,"term":2,"epoch":0,"samples":0,"accuracy":null,"bytes":0,)"
      R"("own_bytes":0,"shared_bytes":0,"parts":0,"store":"head","wall_time_us":0,"pinned":false,)"
      R"("valid":false,)"
      R"("reason":"block 3 is \"torn\""}]})");
  BOOST_TEST(checkpoints_json({bad, good}).starts_with("{\"ok\":true,"));
  const std::string text = checkpoints_text({good, bad});
  for (const char* part :
       {"640", "0.5000", "3.0", "1.0", "2.0", "2023-11-14 22:13:20", "pinned, valid", "torn"})
    BOOST_TEST(text.find(part) != std::string::npos, part);
}

BOOST_AUTO_TEST_SUITE_END()
