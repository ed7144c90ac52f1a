#include "storage/block_references.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime::storage;

namespace block_references_test {

PartRecord part(std::uint64_t first_block, std::vector<std::uint64_t> in_segments) {
  PartRecord record;
  record.header.first = first_block * block_parameters;
  record.count = in_segments.size() * block_parameters;
  for (const auto segment : in_segments) record.blocks.push_back({segment, 0});
  return record;
}

}  // namespace block_references_test

BOOST_AUTO_TEST_SUITE(block_references_test)

BOOST_AUTO_TEST_CASE(a_shared_block_is_named_once) {
  const PartRecord parts[] = {part(2, {1, 1}), part(2, {1, 2})};
  const auto blocks = references(parts);
  const std::vector<BlockId> expected = {{1, 0, 2}, {1, 0, 3}, {2, 0, 3}};
  BOOST_TEST((blocks == expected));
  BOOST_TEST((segments(blocks) == std::set<std::uint64_t>{1, 2}));
}

BOOST_AUTO_TEST_CASE(only_what_nobody_keeps_is_unreferenced) {
  const PartRecord dropped[] = {part(0, {1, 1, 1})};
  const PartRecord kept[] = {part(0, {2, 1, 2})};
  const std::vector<BlockId> expected = {{1, 0, 0}, {1, 0, 2}};
  BOOST_TEST((unreferenced(references(dropped), references(kept)) == expected));
}

BOOST_AUTO_TEST_SUITE_END()
