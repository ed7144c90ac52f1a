#include "storage/part_record.hpp"

#include <boost/test/unit_test.hpp>

#include "runtime/wire/message.hpp"
#include "schemas/checkpoint.capnp.h"
#include "storage/checksum.hpp"

using namespace slime;
using namespace slime::storage;

namespace part_record_test {

const CheckpointId id{3, 40};
const std::string key = part_key(id, 2 * block_parameters, 5);

/// A sealed record of one block with one field spoilt.
template <class Spoil>
std::string spoilt(Spoil&& spoil) {
  return seal(runtime::Message<schema::PartRecord>::make([&](schema::PartRecord::Builder root) {
                root.setTerm(id.term);
                root.setIteration(id.iteration);
                root.setCount(7);
                root.initBlocks(1);
                spoil(root);
              }).words());
}

}  // namespace part_record_test

BOOST_AUTO_TEST_SUITE(part_record_test)

BOOST_AUTO_TEST_CASE(a_record_comes_back) {
  PartRecord record{key, {id, 41, 2 * block_parameters}, block_parameters + 3, 1, {}};
  for (std::uint32_t i = 0; i < 4; ++i) record.blocks.push_back({5 - i, 100 + i});
  const auto read = decode(key, encode(record));
  BOOST_REQUIRE(bool(read));
  BOOST_TEST((read->header.checkpoint == id));
  BOOST_TEST(read->header.version == 41u);
  BOOST_TEST(read->end() == 3 * block_parameters + 3);
  BOOST_TEST(read->block_length(0) == block_parameters);
  BOOST_TEST(read->block_length(1) == 3u);
  BOOST_TEST(read->block(1, 0).segment == 3u);
  BOOST_TEST(read->block(1, 1).checksum == 103u);
}

BOOST_AUTO_TEST_CASE(an_impossible_record_is_corruption_and_names_its_key) {
  const auto expect_refused = [](auto&& spoil) {
    const auto read = decode(key, spoilt(spoil));
    BOOST_REQUIRE(!read);
    BOOST_TEST((read.error().code == Errc::corruption));
    BOOST_TEST(read.error().context.find(key) != std::string::npos);
  };
  BOOST_TEST(bool(decode(key, spoilt([](auto) {}))));
  expect_refused([](auto root) { root.setCount(0); });
  expect_refused([](auto root) { root.setCount(~0ULL); });
  expect_refused([](auto root) { root.setCount(block_parameters + 1); });
  expect_refused([](auto root) { root.setFirst(1); });
  expect_refused([](auto root) { root.setFirst(0 - block_parameters); });
  expect_refused([](auto root) { root.setSlots(~0u); });
  expect_refused([](auto root) { root.setSlots(1); });
  expect_refused([](auto root) { root.initBlocks(0); });
  expect_refused([](auto root) { root.setTerm(4); });
}

BOOST_AUTO_TEST_CASE(words_that_are_no_message_are_corruption) {
  const std::uint64_t noise[] = {0x0000000500000000, ~0ULL, ~0ULL, 7, 7, 7};
  for (std::size_t count = 0; count <= std::size(noise); ++count) {
    const auto words = runtime::Words::copy(std::as_bytes(std::span(noise, count)));
    BOOST_TEST((decode(key, seal(words)).error().code == Errc::corruption));
  }
}

BOOST_AUTO_TEST_CASE(block_keys_lie_inside_their_segment) {
  for (const auto& inside : {block_key(7, 0, 0), block_key(7, 3, ~0ULL)}) {
    BOOST_TEST((segment_first_key(7) < inside));
    BOOST_TEST((inside < segment_last_key(7)));
    BOOST_TEST(segment_of(inside) == 7u);
  }
  BOOST_TEST((block_key(6, 9, 9) < segment_first_key(7)));
  BOOST_TEST((segment_last_key(7) < block_key(8, 0, 0)));
  BOOST_TEST(segment_of("nonsense") == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
