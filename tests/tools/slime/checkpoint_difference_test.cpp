#include "tools/slime/checkpoint_difference.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "tests/tools/slime/stored_model.hpp"

using namespace slime;
using namespace slime::tools;

namespace checkpoint_difference_test {

struct Compared : slime::tests::StoredModel {
  Result<CheckpointDifference> between(const char* a, const char* b) const {
    return compare_checkpoints(choose_checkpoint(directory, a).value(),
                               choose_checkpoint(directory, b).value());
  }
  /// Value number `at` of tensor number `i`.
  float& value(std::size_t i, std::uint64_t at) { return model.values[tensors[i].first + at]; }
};

double norm(std::span<const float> values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares);
}

}  // namespace checkpoint_difference_test

BOOST_FIXTURE_TEST_SUITE(checkpoint_difference_test, Compared)

// Goal: a change is told of its tensor alone, with its size and its place, also behind the end of
// the first shard and of a block.
BOOST_AUTO_TEST_CASE(changes_are_told_where_they_are) {
  value(0, 31'999) = 1;
  value(2, 7) = 0;
  save({1, 10});
  value(0, 31'999) += 3;
  value(0, 0) += 2;
  value(2, 7) -= 4;
  save({1, 20});
  const auto found = between("10", "20");
  BOOST_REQUIRE(bool(found));
  BOOST_TEST(!found->equal());
  BOOST_REQUIRE(found->tensors.size() == 4u);
  const TensorDifference& weights = found->tensors[0];
  const TensorDifference& more_weights = found->tensors[2];
  BOOST_TEST(weights.changed == 2u);
  BOOST_TEST(weights.norm_change == std::sqrt(13.0), boost::test_tools::tolerance(1e-12));
  BOOST_TEST(weights.norm_b == norm(std::span(model.values).first(32'000)),
             boost::test_tools::tolerance(1e-12));
  BOOST_TEST(weights.max_change == 3.0);
  BOOST_TEST(weights.max_at == 31'999u);
  BOOST_TEST(found->tensors[1].changed == 0u);
  BOOST_TEST(found->tensors[1].norm_a == found->tensors[1].norm_b);
  BOOST_TEST(more_weights.changed == 1u);
  BOOST_TEST(more_weights.max_change == 4.0);
  BOOST_TEST(more_weights.max_at == 7u);
  BOOST_TEST(found->tensors[3].changed == 0u);

  const std::string text = difference_text(*found);
  BOOST_TEST(text.find("[63, 499]") != std::string::npos, text);
  BOOST_TEST(text.find("equal\n") != std::string::npos);
  BOOST_TEST(text.ends_with("2 of 4 tensors differ\n"));
  const std::string json = difference_json(*found);
  BOOST_TEST(json.starts_with(R"({"ok":true,"equal":false,"a":{"iteration":10,"term":1},)"));
  BOOST_TEST(json.find(R"("max_change":4,"max_at":[0, 7]})") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(equal_checkpoints_are_said_to_be_equal) {
  save({1, 10});
  for (float& slot : model.slots[0]) slot += 1;
  save({1, 20});
  const auto found = between("10", "20");
  BOOST_REQUIRE(bool(found));
  BOOST_TEST(found->equal());
  BOOST_TEST(difference_text(*found).ends_with("all tensors are equal, bit for bit\n"));
  BOOST_TEST(difference_json(*found).find("\"equal\":true,\"a\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_is_no_number_is_counted_and_hides_no_change) {
  value(1, 3) = 5;
  value(1, 4) = 0.0F;
  save({1, 10});
  value(1, 2) = std::numeric_limits<float>::quiet_NaN();
  value(1, 3) = 4;
  value(1, 4) = -0.0F;
  save({1, 20});
  const auto found = between("10", "20");
  BOOST_REQUIRE(bool(found));
  const TensorDifference& bias = found->tensors[1];
  BOOST_TEST(bias.changed == 3u);
  BOOST_TEST(bias.not_finite == 1u);
  BOOST_TEST(bias.max_change == 1.0);
  BOOST_TEST(bias.max_at == 3u);
  BOOST_TEST(std::isnan(bias.norm_change));
  BOOST_TEST(difference_text(*found).find("; 1 values not finite") != std::string::npos);
  BOOST_TEST(difference_json(*found).find("\"norm_change\":null") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(different_models_are_refused_with_the_tensor) {
  save({1, 10});
  tensors[2].shape = {10, 500};
  save({1, 20});
  const auto shapes = between("10", "20");
  BOOST_REQUIRE(!shapes);
  BOOST_TEST((shapes.error().code == Errc::invalid_argument));
  BOOST_TEST(shapes.error().context.find(
                 "\"1.weight\" of shape [500, 10] of A is \"1.weight\" of shape [10, 500] in B") !=
             std::string::npos);

  // The same tensors and one more.
  tensors[2].shape = {500, 10};
  tensors.push_back({"2.bias", {10}, model.values.size(), 10});
  model = slime::tests::numbers(model.values.size() + 10, 1);
  save({1, 30});
  BOOST_TEST(between("10", "30").error().context.find("\"2.bias\" of shape [10] is only in B") !=
             std::string::npos);
  BOOST_TEST(between("30", "10").error().context.find("\"2.bias\" of shape [10] is only in A") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(damage_is_an_error) {
  save({1, 10});
  model.values[40] += 1;
  save({1, 20});
  std::filesystem::remove_all(directory / "aside");
  BOOST_TEST((between("10", "20").error().code == Errc::corruption));
}

BOOST_AUTO_TEST_SUITE_END()
