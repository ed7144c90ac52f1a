#include "storage/checkpoint_id.hpp"

#include <boost/test/unit_test.hpp>

using namespace slime::storage;

BOOST_AUTO_TEST_SUITE(checkpoint_id_test)

BOOST_AUTO_TEST_CASE(what_follows_a_rollback_is_newer) {
  BOOST_TEST((CheckpointId{1, 100} < CheckpointId{2, 80}));
  BOOST_TEST((CheckpointId{2, 80} < CheckpointId{2, 90}));
}

BOOST_AUTO_TEST_CASE(keys_order_as_checkpoints_do_and_name_them) {
  const CheckpointId ids[] = {{1, 9}, {1, 10}, {2, 5}, {16, 0}, {~0ULL, ~0ULL}};
  for (std::size_t i = 0; i < std::size(ids); ++i) {
    BOOST_TEST((checkpoint_of(manifest_key(ids[i])) == ids[i]));
    BOOST_TEST((checkpoint_of(part_key(ids[i], 7, 3)) == ids[i]));
    if (i > 0) BOOST_TEST((manifest_key(ids[i - 1]) < manifest_key(ids[i])));
  }
}

BOOST_AUTO_TEST_CASE(other_keys_name_none) {
  const std::string key = manifest_key({1, 2});
  for (std::size_t length = 0; length < key.size(); ++length)
    BOOST_TEST(!checkpoint_of(key.substr(0, length)));
  BOOST_TEST(!checkpoint_of("manifest/000000000000000x/0000000000000002"));
  BOOST_TEST(!checkpoint_of("other/0000000000000001/0000000000000002"));
}

BOOST_AUTO_TEST_SUITE_END()
