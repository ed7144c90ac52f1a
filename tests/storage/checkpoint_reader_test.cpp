#include "storage/checkpoint_reader.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/storage/sample_checkpoint.hpp"
#include "tests/storage/tree_bytes.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;
using tests::numbers;
using tests::Numbers;

namespace checkpoint_reader_test {

constexpr std::uint64_t blocks = 23;
constexpr std::uint64_t parameters = blocks * block_parameters - 100;

std::uint64_t boundary(std::uint64_t shard, std::uint64_t shards) {
  return std::min(parameters, shard * blocks / shards * block_parameters);
}

/// A checkpoint of four shards on three nodes.
struct FourShards : tests::TempDir {
  FourShards() {
    std::vector<PartInfo> parts;
    for (std::uint64_t shard = 0; shard < nodes.size(); ++shard) {
      auto store = CheckpointStore::open(path() / nodes[shard], OpenMode::create).value();
      const std::uint64_t first = boundary(shard, 4);
      parts.push_back(
          tests::write_range(store, {1, 5}, model, first, boundary(shard + 1, 4) - first).value());
    }
    manifest = tests::manifest_of({1, 5}, nodes, parts);
  }

  const Numbers model = numbers(parameters, 3, 2);
  const std::vector<std::string> nodes = {"a", "b", "c", "a"};
  Manifest manifest;
};

}  // namespace checkpoint_reader_test

BOOST_AUTO_TEST_SUITE(checkpoint_reader_test)

BOOST_FIXTURE_TEST_CASE(any_number_of_shards_can_load_it, FourShards) {
  const auto before = tests::tree_bytes(path());
  for (const std::uint64_t shards : {1u, 2u, 3u, 5u, 7u}) {
    Numbers loaded = numbers(parameters, 0, 2);
    for (std::uint64_t shard = 0; shard < shards; ++shard) {
      const std::uint64_t first = boundary(shard, shards);
      const std::uint64_t count = boundary(shard + 1, shards) - first;
      const auto reader = CheckpointReader::open(path(), manifest, {first, count});
      BOOST_REQUIRE(bool(reader));
      BOOST_TEST(reader->slots() == 2u);
      BOOST_TEST(reader->headers().front().version == 5u);
      const std::span<float> slots[] = {std::span(loaded.slots[0]).subspan(first, count),
                                        std::span(loaded.slots[1]).subspan(first, count)};
      BOOST_REQUIRE(
          bool(reader->read(first, std::span(loaded.values).subspan(first, count), slots)));
    }
    BOOST_TEST((loaded.values == model.values));
    BOOST_TEST((loaded.slots == model.slots));
  }
  BOOST_TEST((tests::tree_bytes(path()) == before));
}

BOOST_FIXTURE_TEST_CASE(only_the_stores_of_the_range_are_needed, FourShards) {
  std::filesystem::remove_all(path() / "b");
  const std::uint64_t first = boundary(2, 4);
  BOOST_TEST(bool(CheckpointReader::open(path(), manifest, {first, 10})));
  const auto whole = CheckpointReader::open(path(), manifest);
  BOOST_REQUIRE(!whole);
  BOOST_TEST((whole.error().code == Errc::corruption));
  BOOST_TEST(whole.error().context.find((path() / "b").string()) != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(values_can_be_read_without_slots, FourShards) {
  const auto reader = CheckpointReader::open(path(), manifest).value();
  std::vector<float> values(parameters);
  BOOST_REQUIRE(bool(reader.read(0, values, {})));
  BOOST_TEST((values == model.values));
  BOOST_TEST(bool(reader.verify()));
}

BOOST_FIXTURE_TEST_CASE(a_plane_can_be_read_alone, FourShards) {
  const auto reader = CheckpointReader::open(path(), manifest).value();
  std::vector<float> slot(parameters - 5);
  BOOST_REQUIRE(bool(reader.read_plane(2, 5, slot)));
  BOOST_TEST((std::equal(slot.begin(), slot.end(), model.slots[1].begin() + 5)));
  BOOST_TEST((reader.read_plane(3, 0, slot).error().code == Errc::invalid_argument));
}

BOOST_FIXTURE_TEST_CASE(a_range_that_is_not_open_is_refused, FourShards) {
  const auto reader = CheckpointReader::open(path(), manifest, {0, 10}).value();
  std::vector<float> values(parameters), other(3);
  const std::span<float> slots[] = {other, other};
  const auto code = [](const Status& status) { return status.error().code; };
  BOOST_TEST((code(reader.read(0, values, {})) == Errc::invalid_argument));
  BOOST_TEST((code(reader.read(0, other, std::span(slots).first(1))) == Errc::invalid_argument));
  BOOST_TEST((code(reader.read(0, std::span(values).first(4), slots)) == Errc::invalid_argument));
}

BOOST_FIXTURE_TEST_CASE(a_part_that_does_not_fit_the_manifest_is_corruption, FourShards) {
  std::vector<PartInfo> parts;
  manifest.read([&](schema::CheckpointManifest::Reader root) {
    for (const auto part : root.getParts())
      parts.push_back({part.getKey(), part.getChecksum(), part.getFirst(), part.getCount(), 0, 0});
  });
  std::swap(parts[0].key, parts[3].key);
  std::swap(parts[0].checksum, parts[3].checksum);
  const auto reader = CheckpointReader::open(path(), tests::manifest_of({1, 5}, nodes, parts));
  BOOST_REQUIRE(!reader);
  BOOST_TEST((reader.error().code == Errc::corruption));
}

BOOST_AUTO_TEST_SUITE_END()
