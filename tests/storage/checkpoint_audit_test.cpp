#include "storage/checkpoint_audit.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <fstream>

#include "tests/storage/sample_checkpoint.hpp"
#include "tests/storage/tree_bytes.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;
namespace fs = std::filesystem;

namespace checkpoint_audit_test {

constexpr std::uint64_t half = 2 * block_parameters;

/// Two checkpoints of four blocks on two nodes. In the second one the first block of values and
/// every slot are as in the first.
struct TwoCheckpoints : tests::TempDir {
  TwoCheckpoints() {
    save({1, 10});
    model.values[block_parameters] += 1;
    model.values[half] += 1;
    model.values[half + block_parameters] += 1;
    save({1, 20});
  }

  void save(CheckpointId id) const {
    const std::string nodes[] = {"head", "aside"};
    std::vector<PartInfo> parts;
    for (std::uint64_t i = 0; i < 2; ++i) {
      auto store = CheckpointStore::open(path() / nodes[i], OpenMode::create).value();
      parts.push_back(tests::write_range(store, id, model, i * half, half).value());
    }
    auto head = CheckpointStore::open(path() / "head", OpenMode::read_write).value();
    BOOST_REQUIRE(bool(head.commit(tests::manifest_of(id, nodes, parts))));
  }

  /// The table files of a node, by name.
  std::vector<fs::path> tables(const std::string& node) const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(path() / node))
      if (entry.path().extension() == ".sst") found.push_back(entry.path());
    std::ranges::sort(found);
    return found;
  }

  AuditedCheckpoint audited(std::uint64_t iteration) const {
    CheckpointAudit audit(std::make_shared<OpenedStores>(path()));
    return audit.of({{1, iteration}, "head"});
  }

  tests::Numbers model = tests::numbers(2 * half, 1);
};

void spoil_middle(const fs::path& file) {
  std::fstream bytes(file, std::ios::binary | std::ios::in | std::ios::out);
  bytes.seekp(static_cast<std::streamoff>(fs::file_size(file) / 2));
  bytes.write("spoilt", 6);
}

}  // namespace checkpoint_audit_test

BOOST_FIXTURE_TEST_SUITE(checkpoint_audit_test, TwoCheckpoints)

BOOST_AUTO_TEST_CASE(whole_checkpoints_are_measured) {
  const auto before = tests::tree_bytes(path());
  const auto first = audited(10), second = audited(20);
  BOOST_TEST(first.damage.empty());
  BOOST_TEST(first.own_bytes == 8 * block_parameters * sizeof(float));
  BOOST_TEST(first.shared_bytes == 0u);
  BOOST_TEST(second.damage.empty());
  BOOST_TEST(second.slots.value() == 1u);
  BOOST_TEST(second.own_bytes == 3 * block_parameters * sizeof(float));
  BOOST_TEST(second.shared_bytes == 5 * block_parameters * sizeof(float));
  BOOST_TEST((tests::tree_bytes(path()) == before));
}

// Goal: all that is damaged is told, each with its place. Method: lose the file in which the first
// checkpoint put a node's four blocks; the second still uses three of them.
BOOST_AUTO_TEST_CASE(every_damaged_block_is_counted_and_its_file_named) {
  fs::path lost;
  for (const auto& file : tables("head"))
    if (fs::file_size(file) > 200'000) lost = file;
  BOOST_REQUIRE(fs::remove(lost));
  const auto first = audited(10), second = audited(20);
  BOOST_REQUIRE(first.damage.size() == 1u);
  BOOST_TEST(first.damage[0].blocks == 4u);
  BOOST_TEST(first.damage[0].store == "head");
  BOOST_TEST(first.damage[0].files == lost.filename().string());
  BOOST_TEST(first.damage[0].block->plane == 0u);
  BOOST_TEST(first.damage[0].block->block == 0u);
  BOOST_TEST((first.damage[0].why.code == Errc::corruption));
  BOOST_REQUIRE(second.damage.size() == 1u);
  BOOST_TEST(second.damage[0].blocks == 3u);
  BOOST_TEST(second.manifest.has_value());
}

BOOST_AUTO_TEST_CASE(a_lost_store_is_damage_of_each_of_its_parts) {
  fs::remove_all(path() / "aside");
  const auto found = audited(20);
  BOOST_REQUIRE(found.damage.size() == 1u);
  BOOST_TEST(found.damage[0].store == "aside");
  BOOST_TEST(found.damage[0].part.starts_with("part/"));
  BOOST_TEST(!found.damage[0].block);
  BOOST_TEST((found.damage[0].why.code == Errc::corruption));
}

// Goal: damaged records and manifests are told as such. Method: spoil each small file in turn,
// which are these, one for each checkpoint.
BOOST_AUTO_TEST_CASE(damaged_records_and_manifests_are_told) {
  unsigned manifests = 0, records = 0;
  for (const auto& file : tables("head")) {
    if (fs::file_size(file) > 50'000) continue;
    const std::string kept = tests::file_bytes(file);
    std::ofstream(file, std::ios::binary) << std::string(kept.size(), 'x');
    for (const std::uint64_t iteration : {10u, 20u})
      for (const Damage& damage : audited(iteration).damage) {
        BOOST_TEST(damage.files == file.filename().string());
        BOOST_TEST(!damage.block);
        ++(damage.part.empty() ? manifests : records);
      }
    std::ofstream(file, std::ios::binary) << kept;
  }
  BOOST_TEST(manifests == 2u);
  BOOST_TEST(records == 2u);
}

// Goal: what a writer drops while it is read is no damage. Method: an audit whose stores were
// opened in part before the drop; then damage that stays.
BOOST_AUTO_TEST_CASE(a_checkpoint_dropped_meanwhile_is_not_damaged) {
  const auto stores = std::make_shared<OpenedStores>(path());
  BOOST_REQUIRE(bool(stores->of("head")));
  CheckpointAudit audit(stores);
  for (const char* node : {"head", "aside"}) {
    auto store = CheckpointStore::open(path() / node, OpenMode::read_write).value();
    BOOST_REQUIRE(bool(store.remove({1, 10})));
  }
  BOOST_TEST(!audit.of({{1, 10}, "head"}).damage.empty());
  BOOST_TEST(!audit.beside_writers({{1, 10}, "head"}));
  for (const auto& file : tables("aside")) spoil_middle(file);
  BOOST_TEST(!audit.beside_writers({{1, 20}, "head"})->damage.empty());
}

BOOST_AUTO_TEST_SUITE_END()
