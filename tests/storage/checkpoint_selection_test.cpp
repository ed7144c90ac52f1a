#include "storage/checkpoint_selection.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

#include "runtime/wire/message.hpp"
#include "tests/storage/sample_checkpoint.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;

namespace checkpoint_selection_test {

using Kind = CheckpointSelector::Kind;

constexpr double unmeasured = std::numeric_limits<double>::quiet_NaN();

/// Four checkpoints in the stores of two heads, the last two after a rollback.
struct FourCheckpoints : tests::TempDir {
  FourCheckpoints() {
    save("one", {1, 10}, 0.75);
    save("one", {1, 20}, unmeasured);
    save("two", {2, 15}, 0.75);
    save("two", {2, 20}, 0.5);
  }

  void save(const std::string& node, CheckpointId id, double accuracy) const {
    auto store = CheckpointStore::open(path() / node, OpenMode::create).value();
    const auto part = tests::write_range(store, id, tests::numbers(100, 1), 0, 100).value();
    const auto plain = tests::manifest_of(id, std::span(&node, 1), std::span(&part, 1));
    BOOST_REQUIRE(bool(store.commit(tests::with_accuracy(plain, accuracy))));
  }

  Result<CommittedCheckpoint> select(const CheckpointSelector& selector) const {
    OpenedStores stores(path());
    return select_checkpoint(stores, selector);
  }
  CheckpointId id(const CheckpointSelector& selector) const {
    const auto found = select(selector);
    return found ? found->id : CheckpointId{};
  }
};

CheckpointSelector read(const std::function<void(schema::CheckpointChoice::Builder)>& fill) {
  return runtime::Message<schema::CheckpointChoice>::make(fill).read(
      [](schema::CheckpointChoice::Reader choice) { return selector_of(choice); });
}

}  // namespace checkpoint_selection_test

BOOST_AUTO_TEST_SUITE(checkpoint_selection_test)

BOOST_FIXTURE_TEST_CASE(each_kind_finds_its_own_in_all_stores, FourCheckpoints) {
  BOOST_TEST((id({}) == CheckpointId{2, 20}));
  BOOST_TEST((id({Kind::best}) == CheckpointId{2, 15}));
  BOOST_TEST((id({Kind::iteration, {0, 10}}) == CheckpointId{1, 10}));
  BOOST_TEST((id({Kind::iteration, {0, 20}}) == CheckpointId{2, 20}));
  BOOST_TEST((id({Kind::exact, {1, 20}}) == CheckpointId{1, 20}));
  BOOST_TEST(select({Kind::exact, {1, 20}})->head == "one");
  BOOST_TEST(select({})->head == "two");
}

BOOST_FIXTURE_TEST_CASE(what_is_not_there_is_an_error_that_says_what_is, FourCheckpoints) {
  for (const CheckpointSelector& selector :
       {CheckpointSelector{Kind::iteration, {0, 11}}, CheckpointSelector{Kind::exact, {2, 10}}}) {
    const auto found = select(selector);
    BOOST_REQUIRE(!found);
    BOOST_TEST((found.error().code == Errc::not_found));
    BOOST_TEST(found.error().context.find(to_string(selector)) != std::string::npos);
    BOOST_TEST(found.error().context.ends_with("there are those of iterations 10, 20, 15, 20"));
  }
}

BOOST_FIXTURE_TEST_CASE(the_best_needs_a_measured_accuracy, tests::TempDir) {
  auto store = CheckpointStore::open(path() / "head", OpenMode::create).value();
  OpenedStores empty(path());
  BOOST_TEST((select_checkpoint(empty, {Kind::best}).error().code == Errc::not_found));
  BOOST_REQUIRE(bool(tests::save(store, {1, 10}, tests::numbers(100, 1))));
  OpenedStores stores(path());
  const auto best = select_checkpoint(stores, {Kind::best});
  BOOST_REQUIRE(!best);
  BOOST_TEST(best.error().context.find("iterations 10") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_choice_in_a_message_is_read) {
  BOOST_TEST(to_string(read([](auto) {})) == "newest");
  BOOST_TEST(to_string(read([](auto root) { root.getCheckpoint().setBest(); })) == "best");
  BOOST_TEST(to_string(read([](auto root) { root.getCheckpoint().setIteration(150); })) == "150");
  BOOST_TEST(to_string(read([](auto root) {
               auto exact = root.getCheckpoint().initExact();
               exact.setIteration(150);
               exact.setTerm(2);
             })) == "iteration 150 (term 2)");
}

BOOST_AUTO_TEST_CASE(of_many_the_older_ones_are_counted) {
  std::vector<CommittedCheckpoint> all;
  for (std::uint64_t k = 1; k <= 12; ++k) all.push_back({{1, k}, "head"});
  BOOST_TEST(those_there_are(all).ends_with(" 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 2 older ones"));
}

BOOST_AUTO_TEST_SUITE_END()
