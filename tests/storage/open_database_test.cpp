#include "storage/open_database.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <functional>
#include <set>
#include <vector>

#include "storage/newest_valid.hpp"
#include "tests/storage/sample_checkpoint.hpp"
#include "tests/storage/tree_bytes.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;
namespace fs = std::filesystem;

namespace open_database_test {

using Ids = std::vector<CheckpointId>;

fs::path manifest_file(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().starts_with("MANIFEST-")) return entry.path();
  BOOST_FAIL("no MANIFEST in " + folder.string());
  return {};
}

std::set<std::string> tables_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".sst") names.insert(entry.path().filename());
  return names;
}

/// Where the records begin: blocks of 32 KiB hold them, each behind a header of 7 bytes, checksum
/// (4), length (2) and type (1).
std::vector<std::size_t> record_starts(const std::string& bytes) {
  constexpr std::size_t block = 32 << 10, header = 7;
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at + header < bytes.size();) {
    if (block - at % block < header) at += block - at % block;
    starts.push_back(at);
    const auto low = static_cast<unsigned char>(bytes[at + 4]);
    const auto high = static_cast<unsigned char>(bytes[at + 5]);
    at += header + low + std::size_t{256} * high;
  }
  return starts;
}

/// Calls `use` with every kind of damage that ends the bookkeeping early, and what it is.
void damage_each_record(const std::string& whole,
                        const std::function<void(const std::string&, const std::string&)>& use) {
  const auto starts = record_starts(whole);
  BOOST_REQUIRE(starts.size() > 20u);
  for (const std::size_t start : starts) {
    const std::string where = " the record at " + std::to_string(start);
    for (const std::size_t byte : {4, 5}) {
      std::string flipped = whole;
      flipped[start + byte] = static_cast<char>(flipped[start + byte] ^ 0x41);
      use(flipped, "a flipped length in" + where);
    }
    use(whole.substr(0, start), "a cut before" + where);
    use(whole.substr(0, start + 9), "a cut inside" + where);
  }
}

/// RocksDB takes the first record of its list of files that does not fit into it for its end, and
/// what the rest names for leftovers, which it deletes.
struct DamagedBookkeeping : tests::TempDir {
  // Damaged stores are read from copies there; in memory, too.
  DamagedBookkeeping() { ::setenv("TMPDIR", path().c_str(), 1); }
  ~DamagedBookkeeping() { ::setenv("TMPDIR", before.c_str(), 1); }

  /// Each damage in turn to a copy of `head`, which holds `there`: reading gives them all, and
  /// writing is refused if it would lose any.
  void expect_nothing_lost(const Ids& there) {
    const std::string bytes = tests::file_bytes(manifest_file(head));
    int refused = 0;
    damage_each_record(bytes, [&](const std::string& damaged, const std::string& what) {
      BOOST_TEST_CONTEXT(what) {
        fs::remove_all(copies);
        fs::create_directory(copies);
        fs::copy(head, copies / "head", fs::copy_options::recursive);
        std::ofstream(manifest_file(copies / "head"), std::ios::binary) << damaged;
        refused += !expect_all(copies / "head", there);
      }
    });
    BOOST_TEST(refused > 20);
  }

  /// Whether it could be opened for writing.
  bool expect_all(const fs::path& folder, const Ids& there) {
    const auto tables = tables_in(folder);
    {
      const auto reader = CheckpointStore::open(folder, OpenMode::read_only);
      BOOST_REQUIRE_MESSAGE(reader, (reader ? "" : reader.error().context));
      // One whose removal was forgotten may be listed, as a damaged one.
      auto left = reader->list();
      std::erase_if(left, [&](auto id) { return !reader->manifest(id); });
      BOOST_TEST((left == there));
    }
    const auto found = newest_valid(folder.parent_path(), "head");
    BOOST_REQUIRE_MESSAGE(found, (found ? "" : found.error().context));
    BOOST_TEST((id_of(found->manifest) == there.back()));
    bool opened = false;
    {
      const auto writer = CheckpointStore::open(folder, OpenMode::create);
      opened = bool(writer);
      if (opened) BOOST_TEST((writer->list() == there));
      if (!opened) BOOST_TEST((writer.error().code == Errc::corruption), writer.error().context);
    }
    BOOST_TEST((tables_in(folder) == tables));
    if (opened) return true;
    BOOST_REQUIRE(bool(Database::repair(folder)));
    const auto repaired = CheckpointStore::open(folder, OpenMode::read_write);
    BOOST_REQUIRE_MESSAGE(repaired, (repaired ? "" : repaired.error().context));
    BOOST_TEST((repaired->list() == there));
    BOOST_TEST(bool(repaired->manifest(there.back())));
    return false;
  }

  const fs::path before = fs::temp_directory_path();
  const fs::path head = path() / "head", copies = path() / "copies";
};

}  // namespace open_database_test

BOOST_AUTO_TEST_SUITE(open_database_test)

BOOST_FIXTURE_TEST_CASE(an_early_end_loses_no_checkpoint, DamagedBookkeeping) {
  for (const std::uint64_t reopened : {0, 1}) {
    auto store = CheckpointStore::open(head, OpenMode::create).value();
    for (std::uint64_t k = 1; k <= 3; ++k)
      BOOST_REQUIRE(bool(tests::save(store, {1, 3 * reopened + k}, tests::numbers(100, k))));
  }
  expect_nothing_lost({{1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}, {1, 6}});
}

// Goal: where the bookkeeping has forgotten that old files are gone, too.
BOOST_FIXTURE_TEST_CASE(an_early_end_before_a_removal_loses_none_either, DamagedBookkeeping) {
  {
    auto store = CheckpointStore::open(head, OpenMode::create).value();
    for (std::uint64_t k = 1; k <= 5; ++k) {
      BOOST_REQUIRE(bool(tests::save(store, {1, k}, tests::numbers(100, k))));
      BOOST_REQUIRE(bool(store.retain(std::vector<CheckpointId>{{1, k - 1}, {1, k}})));
    }
  }
  expect_nothing_lost({{1, 4}, {1, 5}});
}

BOOST_AUTO_TEST_SUITE_END()
