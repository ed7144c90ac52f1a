#include "tools/bench/model_store.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/temp_dir.hpp"

using namespace slime::bench;

BOOST_AUTO_TEST_SUITE(model_store_test)

// Goal: only what changed is written, whether or not the store is told what that is, and what is
// restored is the model. Method: 40 blocks in parts of three, of which every tenth changes.
BOOST_FIXTURE_TEST_CASE(what_changed_is_written, slime::tests::TempDir) {
  constexpr std::uint64_t block = slime::storage::block_parameters;
  Model model(40 * block), restored(40 * block);
  ModelStore store(path(), model.values.size());
  store.change(model, 1);
  BOOST_TEST(store.save(model, true) == model.bytes());
  for (const bool knowing : {true, false, true}) {
    store.change(model, 10);
    BOOST_TEST(store.save(model, knowing) == 2 * 4 * block * sizeof(float));
    store.prune();
    store.forget_cached();
    store.restore(restored);
    BOOST_TEST((restored.values == model.values));
    BOOST_TEST((restored.momentum == model.momentum));
  }
  BOOST_TEST(store.save(model, true) == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
