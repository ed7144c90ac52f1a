#include "storage/shared_blocks.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>

#include "storage/checkpoint_store.hpp"
#include "tests/storage/sample_checkpoint.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;
using tests::Numbers;

namespace shared_blocks_test {

constexpr std::uint64_t blocks = 40;
constexpr std::uint64_t parameters = blocks * block_parameters;
constexpr std::uint64_t block_bytes = block_parameters * sizeof(float);

// A store, and a model whose writer says which blocks it knows to be unchanged. What it says of
// block 0 may be a lie, so that it shows whether the store believes it or looks.
struct Writer : tests::TempDir {
  Writer() { open(); }
  void open() {
    store.reset();
    store =
        std::make_unique<CheckpointStore>(CheckpointStore::open(path(), OpenMode::create).value());
  }

  Result<PartInfo> try_to_write(const std::optional<KnownPart>& known,
                                std::uint64_t count = parameters) {
    const std::span<const float> slot(model.slots[0].data(), count);
    return store->write_part({.checkpoint = {1, ++iteration}, .version = iteration, .first = 0},
                             std::span(model.values).first(count), std::span(&slot, 1), known);
  }
  PartInfo write(const std::optional<KnownPart>& known = std::nullopt) {
    const auto written = try_to_write(known);
    BOOST_REQUIRE_MESSAGE(written, (written ? "" : written.error().context));
    return *written;
  }
  static KnownPart all_of(const PartInfo& part, std::uint64_t count = blocks) {
    return {part.key, part.checksum, std::vector<bool>(count, true)};
  }
  void lie() { model.values[0] += 1; }

  /// What the store has of the part.
  std::vector<float> stored(const PartInfo& part) const {
    const auto record = store->part(part.key, part.checksum).value();
    std::vector<float> values(record.count);
    const Status read = store->read_part(record, 0, 0, values);
    BOOST_TEST(bool(read), (read ? "" : read.error().context));
    return values;
  }
  void damage_largest_file() const {
    std::filesystem::directory_entry largest;
    for (const auto& entry : std::filesystem::directory_iterator(path()))
      if (entry.path().extension() == ".sst" &&
          (!largest.exists() || entry.file_size() > largest.file_size()))
        largest = entry;
    std::fstream file(largest.path(), std::ios::in | std::ios::out | std::ios::binary);
    const auto middle = static_cast<std::streamoff>(largest.file_size() / 2);
    const auto byte = static_cast<char>(file.seekg(middle).get() ^ 1);
    file.seekp(middle).put(byte);
  }

  bool believed(const KnownPart& known) { return stored(write(known)) != model.values; }

  Numbers model = tests::numbers(parameters, 1);
  std::unique_ptr<CheckpointStore> store;
  std::uint64_t iteration = 0;
};

}  // namespace shared_blocks_test

BOOST_FIXTURE_TEST_SUITE(shared_blocks_test, Writer)

BOOST_AUTO_TEST_CASE(what_is_known_to_be_unchanged_is_taken_unread) {
  const PartInfo first = write();
  BOOST_TEST(first.own_bytes == 2 * blocks * block_bytes);
  lie();
  BOOST_TEST(believed(all_of(first)));
}

BOOST_AUTO_TEST_CASE(what_has_changed_is_stored_and_the_rest_is_shared) {
  KnownPart known = all_of(write());
  model.values[3 * block_parameters + 7] += 1;
  model.slots[0][5 * block_parameters] -= 1;
  known.unchanged[3] = known.unchanged[5] = known.unchanged[6] = false;
  const PartInfo next = write(known);
  BOOST_TEST(next.own_bytes == 2 * block_bytes);
  BOOST_TEST(next.own_bytes + next.shared_bytes == 2 * blocks * block_bytes);
  BOOST_TEST((stored(next) == model.values));
}

// Goal: only the very part that is known, whole, in this store, is believed; any other makes the
// store look for itself.
BOOST_AUTO_TEST_CASE(what_is_not_known_for_sure_is_compared) {
  const auto check = [this](const char* what, const std::function<KnownPart(PartInfo)>& spoil) {
    BOOST_TEST_CONTEXT(what) {
      const PartInfo base = write();
      const KnownPart known = spoil(base);
      lie();
      BOOST_TEST(!believed(known));
    }
  };
  check("no such part", [](auto base) {
    auto known = all_of(base);
    known.key += "0";
    return known;
  });
  check("another record of that name", [](auto base) {
    auto known = all_of(base);
    ++known.checksum;
    return known;
  });
  check("not the newest, for a later write was not heard of", [this](auto base) {
    lie();
    write();
    return all_of(base);
  });
  check("removed", [this](auto base) {
    BOOST_REQUIRE(bool(store->remove({1, iteration})));
    return all_of(base);
  });
  check("dropped, as nobody committed it", [this](auto base) {
    const CheckpointId kept[] = {{9, 9}};
    BOOST_REQUIRE(bool(store->retain(kept)));
    return all_of(base);
  });
  check("the store has another writer", [this](auto base) {
    open();
    return all_of(base);
  });
}

BOOST_AUTO_TEST_CASE(what_is_known_of_another_store_is_compared) {
  const PartInfo there = write();
  lie();
  const tests::TempDir elsewhere;
  store = std::make_unique<CheckpointStore>(
      CheckpointStore::open(elsewhere.path(), OpenMode::create).value());
  const PartInfo part = write(all_of(there));
  BOOST_TEST(part.own_bytes == 2 * blocks * block_bytes);
  BOOST_TEST((stored(part) == model.values));
  store.reset();
}

BOOST_AUTO_TEST_CASE(what_is_known_of_another_cut_or_other_slots_is_compared) {
  const PartInfo base = write();
  lie();
  const auto shorter = try_to_write(all_of(base, blocks / 2), parameters / 2);
  BOOST_REQUIRE(bool(shorter));
  BOOST_TEST(shorter->own_bytes == block_bytes);
  const PartInfo whole = write();
  lie();
  const auto bare = store->write_part({.checkpoint = {1, ++iteration}, .version = 1, .first = 0},
                                      model.values, {}, all_of(whole));
  BOOST_REQUIRE(bool(bare));
  BOOST_TEST(bare->own_bytes == block_bytes);
  BOOST_TEST((stored(*bare) == model.values));
}

BOOST_AUTO_TEST_CASE(a_list_for_other_blocks_is_refused) {
  const PartInfo base = write();
  for (const std::uint64_t count : {blocks - 1, blocks + 1, std::uint64_t{0}})
    BOOST_TEST((try_to_write(all_of(base, count)).error().code == Errc::invalid_argument));
}

// Goal: removing the part that blocks were taken from takes nothing from the next one.
BOOST_AUTO_TEST_CASE(what_is_shared_outlives_the_part_it_came_from) {
  PartInfo part = write();
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t before = iteration;
    KnownPart known = all_of(part);
    model.values[static_cast<std::size_t>(i) * block_parameters] += 1;
    known.unchanged[static_cast<std::size_t>(i)] = false;
    part = write(known);
    BOOST_REQUIRE(bool(store->remove({1, before})));
    BOOST_TEST((stored(part) == model.values));
  }
  open();
  BOOST_TEST((stored(part) == model.values));
}

// Goal: a block that is damaged on the disk is found and stored again within so many checkpoints,
// though nobody changes it. Method: one bit in the midst of the file of blocks.
BOOST_AUTO_TEST_CASE(a_damaged_block_is_stored_again_in_time) {
  PartInfo part = write();
  damage_largest_file();
  BOOST_TEST(!store->verify_part(store->part(part.key, part.checksum).value()));
  std::uint64_t again = 0;
  for (std::uint64_t i = 0; i < SharedBlocks::turns; ++i) {
    part = write(all_of(part));
    again += part.own_bytes;
  }
  BOOST_TEST(again == block_bytes);
  BOOST_TEST(bool(store->verify_part(store->part(part.key, part.checksum).value())));
}

BOOST_AUTO_TEST_SUITE_END()
