#include "storage/newest_valid.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <iterator>
#include <set>

#include "tests/storage/sample_checkpoint.hpp"
#include "tests/storage/tree_bytes.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;
using tests::numbers;
namespace fs = std::filesystem;

namespace newest_valid_test {

constexpr std::uint64_t parameters = 6 * block_parameters;

std::set<fs::path> table_files(const fs::path& folder) {
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".sst") files.insert(entry.path());
  return files;
}

void flip(const fs::path& file, std::size_t at) {
  std::string bytes = tests::file_bytes(file);
  bytes[at] = static_cast<char>(bytes[at] ^ 16);
  std::ofstream(file, std::ios::binary) << bytes;
}

std::string why_not(const Result<ValidCheckpoint>& found) {
  return found ? "" : found.error().context;
}

/// RocksDB's own record of which files there are.
fs::path bookkeeping(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().starts_with("MANIFEST-")) return entry.path();
  BOOST_FAIL("no MANIFEST in " + folder.string());
  return {};
}

/// Two checkpoints, the head's store holding both; `newer` lists the files of the second.
struct TwoCheckpoints : tests::TempDir {
  TwoCheckpoints() {
    auto store = CheckpointStore::open(head, OpenMode::create).value();
    BOOST_REQUIRE(bool(tests::save(store, {1, 10}, numbers(parameters, 1))));
    const auto before = table_files(head);
    BOOST_REQUIRE(bool(tests::save(store, {1, 20}, numbers(parameters, 2))));
    const auto after = table_files(head);
    std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                        std::back_inserter(newer));
  }

  /// Spoils each file of the newer checkpoint in turn, on a copy.
  template <class Spoil>
  void expect_fallback(Spoil&& spoil) {
    BOOST_TEST(newer.size() == 3u);  // Blocks, part record, manifest.
    for (const auto& file : newer) {
      const fs::path directory = path() / "copy";
      fs::remove_all(directory);
      fs::create_directory(directory);
      fs::copy(head, directory / "head", fs::copy_options::recursive);
      spoil(directory / "head" / file.filename());
      const auto before = tests::tree_bytes(directory);
      const auto found = newest_valid(directory, "head");
      BOOST_REQUIRE(bool(found));
      BOOST_TEST((id_of(found->manifest) == CheckpointId{1, 10}));
      BOOST_REQUIRE(found->skipped.size() == 1u);
      BOOST_TEST((found->skipped[0].id == CheckpointId{1, 20}));
      BOOST_TEST((found->skipped[0].why.code == Errc::corruption));
      BOOST_TEST(found->skipped[0].why.context.find(directory.string()) != std::string::npos,
                 found->skipped[0].why.context);
      BOOST_TEST((tests::tree_bytes(directory) == before));
    }
  }

  const fs::path head = path() / "head";
  std::vector<fs::path> newer;
};

}  // namespace newest_valid_test

BOOST_AUTO_TEST_SUITE(newest_valid_test)

BOOST_FIXTURE_TEST_CASE(the_newest_is_taken_when_it_is_whole, TwoCheckpoints) {
  const auto found = newest_valid(path(), "head");
  BOOST_REQUIRE(bool(found));
  BOOST_TEST((id_of(found->manifest) == CheckpointId{1, 20}));
  BOOST_TEST(found->skipped.empty());
  BOOST_TEST(bool(verify(path(), "head", {1, 10})));
  BOOST_TEST((verify(path(), "head", {1, 11}).error().code == Errc::not_found));
}

BOOST_FIXTURE_TEST_CASE(a_flipped_bit_falls_back, TwoCheckpoints) {
  expect_fallback([](const fs::path& file) {
    std::string bytes = tests::file_bytes(file);
    const std::size_t at = bytes.size() > 100'000 ? bytes.size() / 2 : 60;
    bytes[at] = static_cast<char>(bytes[at] ^ 16);
    std::ofstream(file, std::ios::binary) << bytes;
  });
}

BOOST_FIXTURE_TEST_CASE(a_file_one_byte_short_falls_back, TwoCheckpoints) {
  expect_fallback([](const fs::path& file) { fs::resize_file(file, fs::file_size(file) - 1); });
}

BOOST_FIXTURE_TEST_CASE(zeros_of_the_same_size_fall_back, TwoCheckpoints) {
  expect_fallback([](const fs::path& file) {
    std::ofstream(file, std::ios::binary) << std::string(fs::file_size(file), '\0');
  });
}

BOOST_FIXTURE_TEST_CASE(a_missing_file_falls_back, TwoCheckpoints) {
  expect_fallback([](const fs::path& file) { fs::remove(file); });
}

// Goal: wherever in a file of the newest checkpoint a byte is wrong, the one before it is whole.
BOOST_FIXTURE_TEST_CASE(a_flipped_byte_anywhere_costs_one_checkpoint, TwoCheckpoints) {
  int skipped = 0, tries = 0;
  for (const auto& file : newer) {
    const std::size_t size = fs::file_size(file);
    const fs::path directory = path() / "copy";
    fs::create_directory(directory);
    fs::copy(head, directory / "head", fs::copy_options::recursive);
    const fs::path copy = directory / "head" / file.filename();
    // The end holds what a table file says of itself: footer, index and properties.
    for (std::size_t at = size - std::min<std::size_t>(size, 1200); at < size; at += 290) {
      flip(copy, at);
      const auto found = newest_valid(directory, "head");
      flip(copy, at);
      ++tries;
      BOOST_REQUIRE_MESSAGE(found, file.string() << " at " << at << ": " << why_not(found));
      if (found->skipped.empty()) continue;
      ++skipped;
      BOOST_TEST((id_of(found->manifest) == CheckpointId{1, 10}));
      BOOST_TEST((found->skipped[0].why.code == Errc::corruption), found->skipped[0].why.context);
    }
    fs::remove_all(directory);
  }
  BOOST_TEST(skipped > tries / 2);
}

// Goal: what RocksDB notes about its files, and its log, hold nothing of a checkpoint.
BOOST_FIXTURE_TEST_CASE(without_bookkeeping_every_checkpoint_is_found, TwoCheckpoints) {
  const auto expect_newest = [&](auto&& spoil) {
    const fs::path directory = path() / "copy";
    fs::create_directory(directory);
    fs::copy(head, directory / "head", fs::copy_options::recursive);
    spoil(directory / "head");
    const auto before = tests::tree_bytes(directory);
    const auto found = newest_valid(directory, "head");
    BOOST_REQUIRE_MESSAGE(found, why_not(found));
    BOOST_TEST((id_of(found->manifest) == CheckpointId{1, 20}));
    BOOST_TEST((tests::tree_bytes(directory) == before));
    fs::remove_all(directory);
  };
  expect_newest([](const fs::path& folder) { fs::remove(folder / "CURRENT"); });
  expect_newest([](const fs::path& folder) { flip(folder / "CURRENT", 3); });
  expect_newest([](const fs::path& folder) { fs::remove(bookkeeping(folder)); });
  expect_newest([](const fs::path& folder) { fs::resize_file(bookkeeping(folder), 0); });
  const std::size_t size = fs::file_size(bookkeeping(head));
  for (std::size_t at = 0; at < size; at += size / 8)
    expect_newest([at](const fs::path& folder) { flip(bookkeeping(folder), at); });
}

BOOST_FIXTURE_TEST_CASE(a_wrecked_store_is_not_an_empty_one, TwoCheckpoints) {
  const auto spoil_all = [&](std::size_t size) {
    for (const auto& entry : fs::directory_iterator(head))
      if (entry.is_regular_file() && entry.path().filename() != "FORMAT")
        std::ofstream(entry.path(), std::ios::binary) << std::string(size, 'x');
    BOOST_TEST((newest_valid(path(), "head").error().code == Errc::corruption));
  };
  spoil_all(100);
  spoil_all(0);
}

BOOST_FIXTURE_TEST_CASE(none_valid_is_an_error_that_tells_about_each, TwoCheckpoints) {
  for (const auto& file : table_files(head)) fs::resize_file(file, 100);
  const auto found = newest_valid(path(), "head");
  BOOST_REQUIRE(!found);
  BOOST_TEST((found.error().code == Errc::corruption));
  for (const char* id : {"iteration 10", "iteration 20"})
    BOOST_TEST(found.error().context.find(id) != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(no_store_and_no_checkpoint_are_not_found, tests::TempDir) {
  BOOST_TEST((newest_valid(path(), "head").error().code == Errc::not_found));
  BOOST_REQUIRE(bool(CheckpointStore::open(path() / "head", OpenMode::create)));
  BOOST_TEST((newest_valid(path(), "head").error().code == Errc::not_found));
}

BOOST_AUTO_TEST_SUITE_END()
