#include "storage/checkpoint_store.hpp"

#include <boost/test/unit_test.hpp>
#include <set>

#include "tests/storage/sample_checkpoint.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;
using tests::numbers;
using tests::Numbers;
using tests::save;
using tests::write_range;

namespace checkpoint_store_test {

constexpr std::uint64_t parameters = 10 * block_parameters + 17;
constexpr std::uint64_t model_bytes = 2 * parameters * sizeof(float);

CheckpointStore open(const std::filesystem::path& folder, OpenMode mode = OpenMode::create) {
  auto store = CheckpointStore::open(folder, mode);
  BOOST_REQUIRE(store);
  return std::move(*store);
}

bool holds(const CheckpointStore& store, CheckpointId id, const Numbers& model) {
  const auto manifest = store.manifest(id);
  if (!manifest) return false;
  const auto part = manifest->read([&store](schema::CheckpointManifest::Reader root) {
    return store.part(root.getParts()[0].getKey(), root.getParts()[0].getChecksum());
  });
  if (!part) return false;
  std::vector<float> values(model.values.size()), slot(values.size());
  return store.read_part(*part, 0, 0, values) && store.read_part(*part, 1, 0, slot) &&
         values == model.values && slot == model.slots.front();
}

std::uint64_t bytes_in(const std::filesystem::path& folder) {
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".sst") bytes += entry.file_size();
  return bytes;
}

}  // namespace checkpoint_store_test

BOOST_AUTO_TEST_SUITE(checkpoint_store_test)

// Goal: what is of an earlier term than the fence is refused, also by the store's next writer, and
// though nothing of a later term is there.
BOOST_FIXTURE_TEST_CASE(a_store_is_fenced_against_earlier_terms, tests::TempDir) {
  const Numbers model = numbers(block_parameters, 1);
  std::vector<PartInfo> late;
  {
    auto store = open(path());
    BOOST_REQUIRE(bool(save(store, {2, 10}, model)));
    late.push_back(write_range(store, {2, 20}, model, 0, block_parameters).value());
    BOOST_TEST(bool(store.fence(3)));
    BOOST_TEST(store.latest_term() == 3u);
  }
  auto store = open(path());
  BOOST_TEST(store.fenced_term() == 3u);
  const auto part = write_range(store, {2, 20}, model, 0, block_parameters);
  BOOST_REQUIRE(!part);
  BOOST_TEST((part.error().code == Errc::stale));
  BOOST_TEST(part.error().context.find("term 3 has taken it over") != std::string::npos);
  const std::string node = path().filename();
  const auto manifest = tests::manifest_of({2, 20}, std::span(&node, 1), late);
  BOOST_TEST((store.commit(manifest).error().code == Errc::stale));
  BOOST_TEST((store.list() == std::vector<CheckpointId>{{2, 10}}));
  BOOST_TEST(bool(save(store, {3, 12}, model)));
  // Who only reads cannot fence anybody off.
  const auto reader = CheckpointStore::open(path(), OpenMode::read_only);
  BOOST_TEST((CheckpointStore::open(path(), OpenMode::read_only)->fence(9).error().code ==
              Errc::invalid_argument));
  BOOST_TEST(reader->fenced_term() == 3u);
}

BOOST_FIXTURE_TEST_CASE(a_committed_checkpoint_comes_back, tests::TempDir) {
  const Numbers model = numbers(parameters, 1);
  {
    auto store = open(path());
    BOOST_REQUIRE(bool(save(store, {1, 10}, model)));
  }
  for (const auto mode : {OpenMode::read_only, OpenMode::read_write}) {
    const auto store = open(path(), mode);
    BOOST_TEST(store.list().size() == 1u);
    BOOST_TEST(holds(store, {1, 10}, model));
  }
}

BOOST_FIXTURE_TEST_CASE(an_uncommitted_checkpoint_is_invisible, tests::TempDir) {
  {
    auto store = open(path());
    BOOST_REQUIRE(bool(save(store, {1, 10}, numbers(parameters, 1))));
    BOOST_REQUIRE(bool(write_range(store, {1, 20}, numbers(parameters, 2), 0, parameters)));
  }
  const auto store = open(path());
  BOOST_TEST(store.list().size() == 1u);
  BOOST_TEST((store.manifest({1, 20}).error().code == Errc::not_found));
}

BOOST_FIXTURE_TEST_CASE(only_the_same_manifest_may_be_committed_again, tests::TempDir) {
  auto store = open(path());
  const auto part = write_range(store, {1, 10}, numbers(parameters, 1), 0, parameters).value();
  const std::string node = "head", other = "other";
  const auto manifest = tests::manifest_of({1, 10}, std::span(&node, 1), std::span(&part, 1));
  BOOST_REQUIRE(bool(store.commit(manifest)));
  BOOST_TEST(bool(store.commit(manifest)));
  const auto changed = tests::manifest_of({1, 10}, std::span(&other, 1), std::span(&part, 1));
  BOOST_TEST((store.commit(changed).error().code == Errc::already_exists));
}

BOOST_FIXTURE_TEST_CASE(a_checkpoint_is_committed_once, tests::TempDir) {
  auto store = open(path());
  BOOST_REQUIRE(bool(save(store, {1, 10}, numbers(parameters, 1))));
  BOOST_TEST((save(store, {1, 10}, numbers(parameters, 2)).error().code == Errc::already_exists));
  BOOST_TEST(holds(store, {1, 10}, numbers(parameters, 1)));
  BOOST_TEST((store.commit(Manifest()).error().code == Errc::invalid_argument));
}

BOOST_FIXTURE_TEST_CASE(what_an_earlier_term_still_writes_is_refused, tests::TempDir) {
  auto store = open(path());
  const Numbers model = numbers(parameters, 1);
  const auto old = write_range(store, {1, 200}, model, 0, parameters).value();
  BOOST_REQUIRE(bool(save(store, {2, 100}, model)));
  BOOST_TEST((write_range(store, {1, 300}, model, 0, parameters).error().code == Errc::stale));
  const std::string node = "head";
  const auto late = tests::manifest_of({1, 200}, std::span(&node, 1), std::span(&old, 1));
  BOOST_TEST((store.commit(late).error().code == Errc::stale));
}

// Goal: a part is never replaced, as a manifest may name it. Method: write the same twice, all
// blocks shared, with the store reopened between.
BOOST_FIXTURE_TEST_CASE(a_repeated_write_gets_a_key_of_its_own, tests::TempDir) {
  std::set<std::string> keys;
  for (int i = 0; i < 3; ++i) {
    auto store = open(path());
    keys.insert(write_range(store, {1, 1}, numbers(parameters, 1), 0, parameters)->key);
  }
  BOOST_TEST(keys.size() == 3u);
}

BOOST_FIXTURE_TEST_CASE(unchanged_blocks_are_shared, tests::TempDir) {
  auto store = open(path());
  Numbers model = numbers(parameters, 1);
  const auto first = write_range(store, {1, 10}, model, 0, parameters);
  BOOST_REQUIRE(bool(first));
  BOOST_TEST(first->own_bytes == model_bytes);
  const auto same = write_range(store, {1, 20}, model, 0, parameters);
  BOOST_REQUIRE(bool(same));
  BOOST_TEST(same->own_bytes == 0u);
  BOOST_TEST(same->shared_bytes == model_bytes);
  model.values[3 * block_parameters] += 1;
  model.slots[0].back() += 1;
  const auto changed = write_range(store, {1, 30}, model, 0, parameters);
  BOOST_REQUIRE(bool(changed));
  BOOST_TEST(changed->own_bytes == (block_parameters + 17) * sizeof(float));
  const auto record = store.part(changed->key, changed->checksum);
  BOOST_REQUIRE(bool(record));
  std::vector<float> values(parameters);
  BOOST_TEST(bool(store.read_part(*record, 0, 0, values)));
  BOOST_TEST((values == model.values));
}

BOOST_FIXTURE_TEST_CASE(blocks_are_shared_across_other_cuts, tests::TempDir) {
  auto store = open(path());
  const Numbers model = numbers(parameters, 1);
  BOOST_REQUIRE(bool(write_range(store, {1, 10}, model, 0, 4 * block_parameters)));
  BOOST_REQUIRE(bool(
      write_range(store, {1, 10}, model, 4 * block_parameters, parameters - 4 * block_parameters)));
  const auto part = write_range(store, {1, 20}, model, block_parameters, 7 * block_parameters);
  BOOST_REQUIRE(bool(part));
  BOOST_TEST(part->own_bytes == 0u);
}

BOOST_FIXTURE_TEST_CASE(removing_keeps_the_blocks_that_others_share, tests::TempDir) {
  auto store = open(path());
  Numbers model = numbers(parameters, 1);
  BOOST_REQUIRE(bool(save(store, {1, 10}, model)));
  // All but two blocks change, so that what is shared lies in a file that is mostly dead.
  Numbers next = numbers(parameters, 2);
  std::copy_n(model.values.begin(), 2 * block_parameters, next.values.begin());
  BOOST_REQUIRE(bool(save(store, {1, 20}, next)));
  const std::uint64_t both = bytes_in(path());
  BOOST_REQUIRE(bool(store.remove({1, 10})));
  BOOST_TEST(store.list().size() == 1u);
  BOOST_TEST(holds(store, {1, 20}, next));
  BOOST_TEST(bytes_in(path()) < both - model_bytes / 2);
  BOOST_REQUIRE(bool(store.remove({1, 20})));
  BOOST_TEST(store.list().empty());
  BOOST_TEST(bytes_in(path()) < 100'000u);
}

BOOST_FIXTURE_TEST_CASE(the_newest_are_kept_and_space_does_not_grow, tests::TempDir) {
  auto store = open(path());
  for (std::uint64_t k = 1; k <= 12; ++k) {
    BOOST_REQUIRE(bool(save(store, {1, k}, numbers(parameters, k))));
    const auto ids = store.list();
    BOOST_REQUIRE(bool(store.retain(std::span(ids).last(std::min<std::size_t>(3, ids.size())))));
  }
  const std::vector<CheckpointId> expected = {{1, 10}, {1, 11}, {1, 12}};
  BOOST_TEST((store.list() == expected));
  for (std::uint64_t k = 10; k <= 12; ++k) BOOST_TEST(holds(store, {1, k}, numbers(parameters, k)));
  BOOST_TEST(bytes_in(path()) < 4 * model_bytes);
}

BOOST_FIXTURE_TEST_CASE(retaining_spares_what_is_newer_and_drops_the_uncommitted, tests::TempDir) {
  auto store = open(path());
  for (std::uint64_t k = 1; k <= 3; ++k)
    BOOST_REQUIRE(bool(write_range(store, {1, k}, numbers(parameters, k), 0, parameters)));
  const auto saving = write_range(store, {2, 2}, numbers(parameters, 9), 0, parameters);
  const CheckpointId kept[] = {{1, 3}};
  BOOST_REQUIRE(bool(store.retain(kept)));
  BOOST_TEST(bool(store.part(saving->key, saving->checksum)));
  BOOST_TEST(bytes_in(path()) < 3 * model_bytes);
  BOOST_TEST(bytes_in(path()) > 2 * model_bytes);
}

BOOST_FIXTURE_TEST_CASE(a_part_that_cannot_be_is_refused, tests::TempDir) {
  auto store = open(path());
  const std::vector<float> values(8), more(9);
  const std::span<const float> slots[] = {more};
  const auto refused = [&](PartHeader header, std::span<const float> of, auto with) {
    return store.write_part(header, of, with).error().code == Errc::invalid_argument;
  };
  const std::span<const std::span<const float>> none;
  BOOST_TEST(refused({{1, 1}, 0, 1}, values, none));
  BOOST_TEST(refused({{1, 1}, 0, 0}, {}, none));
  BOOST_TEST(refused({{1, 1}, 0, 0}, values, std::span(slots)));
  const std::vector<std::span<const float>> many(slots_max + 1, values);
  BOOST_TEST(refused({{1, 1}, 0, 0}, values, std::span(many)));
}

BOOST_FIXTURE_TEST_CASE(reading_outside_a_part_is_refused, tests::TempDir) {
  auto store = open(path());
  const auto info =
      write_range(store, {1, 1}, numbers(parameters, 1), 0, 2 * block_parameters).value();
  const auto part = store.part(info.key, info.checksum).value();
  std::vector<float> out(2 * block_parameters + 1);
  const auto refused = [&](std::uint32_t plane, std::uint64_t first, std::size_t count) {
    const auto status = store.read_part(part, plane, first, std::span(out).first(count));
    return !status && status.error().code == Errc::invalid_argument;
  };
  BOOST_TEST(refused(0, 0, out.size()));
  BOOST_TEST(refused(0, 2 * block_parameters, 1));
  BOOST_TEST(refused(0, ~0ULL, 1));
  BOOST_TEST(refused(2, 0, 1));
  BOOST_TEST(!refused(1, 2 * block_parameters - 1, 1));
}

BOOST_FIXTURE_TEST_CASE(a_part_other_than_the_named_one_is_corruption, tests::TempDir) {
  auto store = open(path());
  const auto info = write_range(store, {1, 1}, numbers(parameters, 1), 0, parameters).value();
  BOOST_TEST((store.part(info.key, info.checksum ^ 1).error().code == Errc::corruption));
  BOOST_TEST((store.part(info.key + "0", info.checksum).error().code == Errc::corruption));
}

// Goal: a block whose stored bytes are wrong is neither read nor shared, even where the database's
// own checksums are right. Method: write other bytes under the block's key.
BOOST_FIXTURE_TEST_CASE(wrong_blocks_are_found_and_not_shared, tests::TempDir) {
  const Numbers model = numbers(parameters, 1);
  PartInfo info;
  {
    auto store = open(path());
    info = write_range(store, {1, 1}, model, 0, parameters).value();
  }
  for (const std::size_t length : {0u, 3u, 65'535u, 65'536u}) {
    {
      const auto database = Database::open(path(), OpenMode::read_write).value();
      Batch batch;
      batch.put(Table::blocks, block_key(1, 0, 2), std::string(length, '\0'));
      BOOST_REQUIRE(bool(database->write(batch)));
    }
    auto store = open(path());
    const auto part = store.part(info.key, info.checksum).value();
    const auto status = store.verify_part(part);
    BOOST_REQUIRE(!status);
    BOOST_TEST((status.error().code == Errc::corruption));
    for (const auto& named : {info.key, block_key(1, 0, 2), path().string()})
      BOOST_TEST(status.error().context.find(named) != std::string::npos);
    const auto next = write_range(store, {1, 2}, model, 0, parameters).value();
    BOOST_TEST(next.own_bytes == block_parameters * sizeof(float));
    BOOST_TEST(bool(store.verify_part(store.part(next.key, next.checksum).value())));
    BOOST_REQUIRE(bool(store.remove({1, 2})));
  }
}

// Goal: a checkpoint whose parts lie in several stores ends to exist before any of them goes.
BOOST_FIXTURE_TEST_CASE(what_is_withdrawn_leaves_its_parts, tests::TempDir) {
  auto store = open(path());
  for (std::uint64_t k = 1; k <= 2; ++k)
    BOOST_REQUIRE(bool(save(store, {1, k}, numbers(parameters, k))));
  const auto part = store.manifest({1, 1})->read([&](schema::CheckpointManifest::Reader read) {
    return store.part(read.getParts()[0].getKey(), read.getParts()[0].getChecksum());
  });
  BOOST_REQUIRE(bool(part));
  const std::vector<CheckpointId> ids{{1, 1}, {9, 9}};
  BOOST_REQUIRE(bool(store.withdraw(ids)));
  BOOST_TEST((store.list() == std::vector<CheckpointId>{{1, 2}}));
  BOOST_TEST(bool(store.verify_part(*part)));
}

BOOST_FIXTURE_TEST_CASE(a_held_store_can_still_be_listed, tests::TempDir) {
  auto writer = open(path());
  BOOST_REQUIRE(bool(save(writer, {1, 10}, numbers(parameters, 1))));
  BOOST_TEST(
      (CheckpointStore::open(path(), OpenMode::read_write).error().code == Errc::already_exists));
  const auto reader = open(path(), OpenMode::read_only);
  BOOST_TEST(reader.list().size() == 1u);
  BOOST_REQUIRE(bool(save(writer, {1, 20}, numbers(parameters, 2))));
  BOOST_REQUIRE(bool(writer.remove({1, 10})));
  // What it had opened stays readable, and a new one sees what is new.
  BOOST_TEST(holds(reader, {1, 10}, numbers(parameters, 1)));
  BOOST_TEST(holds(open(path(), OpenMode::read_only), {1, 20}, numbers(parameters, 2)));
}

BOOST_AUTO_TEST_SUITE_END()
