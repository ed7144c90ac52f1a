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

namespace {

constexpr std::uint64_t parameters = 6 * block_parameters;

std::set<fs::path> table_files(const fs::path& folder) {
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".sst") files.insert(entry.path());
  return files;
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

}  // namespace

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
