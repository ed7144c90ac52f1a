#include "storage/chosen_valid.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/storage/sample_checkpoint.hpp"
#include "tests/storage/tree_bytes.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;

namespace chosen_valid_test {

using Kind = CheckpointSelector::Kind;

/// Three checkpoints, of which the second is the best.
struct ThreeCheckpoints : tests::TempDir {
  ThreeCheckpoints() {
    const std::string node = "head";
    const double accuracies[] = {0.5, 0.75, 0.25};
    auto store = CheckpointStore::open(path() / node, OpenMode::create).value();
    for (std::uint64_t k = 1; k <= 3; ++k) {
      const auto part = tests::write_range(store, {1, k}, tests::numbers(100, k), 0, 100).value();
      const auto plain = tests::manifest_of({1, k}, std::span(&node, 1), std::span(&part, 1));
      BOOST_REQUIRE(bool(store.commit(tests::with_accuracy(plain, accuracies[k - 1]))));
    }
  }

  /// Replaces a catalog entry of checkpoint `k`.
  void damage(std::string_view prefix, std::uint64_t k) const {
    const auto head = Database::open(path() / "head", OpenMode::read_write).value();
    Batch batch;
    batch.put(Table::catalog, head->catalog(prefix).at(k - 1), "nonsense");
    BOOST_REQUIRE(bool(head->write(batch)));
  }
  Result<ValidCheckpoint> chosen(const CheckpointSelector& selector) const {
    const auto before = tests::tree_bytes(path());
    auto found = chosen_valid(path(), selector);
    BOOST_TEST((tests::tree_bytes(path()) == before));
    return found;
  }
};

std::uint64_t iteration_of(const Result<ValidCheckpoint>& found) {
  return found ? id_of(found->manifest).iteration : 0;
}

}  // namespace chosen_valid_test

BOOST_FIXTURE_TEST_SUITE(chosen_valid_test, ThreeCheckpoints)

BOOST_AUTO_TEST_CASE(what_is_whole_is_given) {
  BOOST_TEST(iteration_of(chosen({})) == 3u);
  BOOST_TEST(iteration_of(chosen({Kind::best})) == 2u);
  BOOST_TEST(iteration_of(chosen({Kind::iteration, {0, 1}})) == 1u);
  BOOST_TEST((chosen({Kind::iteration, {0, 7}}).error().code == Errc::not_found));
}

// Case D3. Goal: a damaged checkpoint that was chosen is an error and never another one.
BOOST_AUTO_TEST_CASE(a_damaged_one_that_was_chosen_is_an_error) {
  damage(part_prefix, 2);
  for (const CheckpointSelector& selector :
       {CheckpointSelector{Kind::best}, CheckpointSelector{Kind::iteration, {0, 2}},
        CheckpointSelector{Kind::exact, {1, 2}}}) {
    const auto found = chosen(selector);
    BOOST_REQUIRE(!found);
    BOOST_TEST((found.error().code == Errc::corruption));
    BOOST_TEST(found.error().context.find("iteration 2 (term 1)") != std::string::npos);
    BOOST_TEST(found.error().context.ends_with("there are those of iterations 1, 2, 3"));
  }
  BOOST_TEST(iteration_of(chosen({Kind::iteration, {0, 1}})) == 1u);
}

BOOST_AUTO_TEST_CASE(damaged_ones_before_the_newest_whole_one_are_told) {
  damage(part_prefix, 3);
  damage(manifest_prefix, 2);
  const auto found = chosen({});
  BOOST_TEST(iteration_of(found) == 1u);
  BOOST_REQUIRE(found->skipped.size() == 2u);
  BOOST_TEST(found->skipped[0].id.iteration == 3u);
  BOOST_TEST(found->skipped[1].id.iteration == 2u);
  damage(manifest_prefix, 1);
  BOOST_TEST((chosen({}).error().code == Errc::corruption));
}

// Goal: nobody is told that this is the best while a better one may be damaged.
BOOST_AUTO_TEST_CASE(what_may_have_been_the_best_is_told) {
  damage(manifest_prefix, 2);
  const auto found = chosen({Kind::best});
  BOOST_TEST(iteration_of(found) == 1u);
  BOOST_REQUIRE(found->skipped.size() == 1u);
  BOOST_TEST(found->skipped[0].id.iteration == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
