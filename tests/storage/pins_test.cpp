#include "storage/pins.hpp"

#include <boost/test/unit_test.hpp>

#include "storage/committed_checkpoints.hpp"
#include "storage/latest_term.hpp"
#include "tests/storage/sample_checkpoint.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;

namespace pins_test {

/// A store with two checkpoints, which its writer holds.
struct BusyStore : tests::TempDir {
  BusyStore() : store(CheckpointStore::open(path() / "head", OpenMode::create).value()) {
    for (const std::uint64_t k : {10, 20})
      BOOST_REQUIRE(bool(tests::save(store, {1, k}, tests::numbers(100, k))));
  }
  std::set<CheckpointId> pins() const { return pinned_checkpoints(path()).value(); }

  CheckpointStore store;
};

}  // namespace pins_test

BOOST_FIXTURE_TEST_SUITE(pins_test, BusyStore)

BOOST_AUTO_TEST_CASE(a_checkpoint_is_pinned_and_unpinned_beside_its_writer) {
  BOOST_TEST(pins().empty());
  BOOST_TEST(pin_checkpoint(path(), {1, 10}).value());
  BOOST_TEST(!pin_checkpoint(path(), {1, 10}).value());
  BOOST_TEST((pins() == std::set<CheckpointId>{{1, 10}}));
  BOOST_TEST(unpin_checkpoint(path(), {1, 10}).value());
  BOOST_TEST(!unpin_checkpoint(path(), {1, 10}).value());
  BOOST_TEST(pins().empty());
}

BOOST_AUTO_TEST_CASE(what_is_not_there_is_not_pinned) {
  BOOST_TEST((pin_checkpoint(path(), {1, 11}).error().code == Errc::not_found));
  BOOST_TEST((pin_checkpoint(path(), {2, 10}).error().code == Errc::not_found));
  BOOST_TEST((pin_checkpoint(path() / "nowhere", {1, 10}).error().code == Errc::not_found));
  BOOST_TEST(!std::filesystem::exists(path() / "pins"));
}

BOOST_AUTO_TEST_CASE(a_pin_outlives_its_checkpoint_and_can_be_given_up) {
  BOOST_REQUIRE(bool(pin_checkpoint(path(), {1, 10})));
  BOOST_REQUIRE(bool(store.remove({1, 10})));
  BOOST_TEST((pins() == std::set<CheckpointId>{{1, 10}}));
  BOOST_TEST(unpin_checkpoint(path(), {1, 10}).value());
}

// Goal: nothing is pinned while somebody decides what to remove.
BOOST_AUTO_TEST_CASE(the_lock_is_held_by_one_at_a_time) {
  {
    const auto held = PinLock::acquire(path());
    BOOST_REQUIRE(bool(held));
    BOOST_TEST((PinLock::acquire(path()).error().code == Errc::overloaded));
    BOOST_TEST((pin_checkpoint(path(), {1, 10}).error().code == Errc::overloaded));
    BOOST_TEST((unpin_checkpoint(path(), {1, 10}).error().code == Errc::overloaded));
  }
  BOOST_TEST(bool(pin_checkpoint(path(), {1, 10})));
}

// Goal: the folder of pins is no store, and no other file in it is taken for a pin.
BOOST_AUTO_TEST_CASE(other_files_are_no_pins) {
  BOOST_REQUIRE(bool(pin_checkpoint(path(), {1, 10})));
  for (const std::string name :
       {"1-10~", "x", "1", "1-", "-1", "01-10", "1-10-3", "99999999999999999999-1"})
    write("pins/" + name, "");
  BOOST_TEST((pins() == std::set<CheckpointId>{{1, 10}}));
  OpenedStores stores(path());
  const auto found = committed_checkpoints(stores);
  BOOST_REQUIRE(bool(found));
  BOOST_TEST((found->stores == std::vector<std::string>{"head"}));
  BOOST_TEST(found->unreadable.empty());
  BOOST_TEST(latest_term(path()) == 1u);
}

// Goal: who cannot read the pins knows it, and removes nothing.
BOOST_AUTO_TEST_CASE(pins_that_cannot_be_read_are_an_error) {
  write("pins", "no folder");
  BOOST_TEST((pinned_checkpoints(path()).error().code == Errc::io_error));
  BOOST_TEST(!PinLock::acquire(path()));
}

BOOST_AUTO_TEST_SUITE_END()
