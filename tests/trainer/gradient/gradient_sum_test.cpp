#include "trainer/gradient/gradient_sum.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <limits>

using namespace slime;
using namespace slime::trainer;

namespace gradient_sum_test {

// Adds one block's gradient as a backend does: overwrites a fresh scratch, adds to another.
Status add(GradientSum& sum, const std::vector<float>& gradient) {
  const bool fresh = sum.scratch_is_fresh();
  for (std::size_t i = 0; i < gradient.size(); ++i)
    sum.scratch()[i] = (fresh ? 0 : sum.scratch()[i]) + gradient[i];
  return sum.take_scratch();
}

template <class T>
std::vector<T> values(const GradientSum& sum, std::size_t first, std::size_t count) {
  const auto bytes = sum.bytes(first, count);
  std::vector<T> read(bytes.size() / sizeof(T));
  std::memcpy(read.data(), bytes.data(), bytes.size());
  return read;
}

}  // namespace gradient_sum_test

BOOST_AUTO_TEST_SUITE(gradient_sum_test)

BOOST_AUTO_TEST_CASE(floats_are_summed_and_cut_by_range) {
  GradientSum sum(3, false);
  BOOST_TEST(bool(add(sum, {1, 2, 3})));
  BOOST_TEST(bool(add(sum, {10, 20, 30})));
  BOOST_TEST(values<float>(sum, 0, 3) == (std::vector<float>{11, 22, 33}));
  BOOST_TEST(values<float>(sum, 1, 2) == (std::vector<float>{22, 33}));
  BOOST_TEST(values<float>(sum, 3, 0).empty());
}

BOOST_AUTO_TEST_CASE(reproducible_sums_are_the_same_in_any_order) {
  // As floats, 1e-7 is lost beside 512 if it comes after it.
  const std::vector<std::vector<float>> blocks{{512.0F}, {1e-7F}, {-512.0F}, {3e-8F}};
  GradientSum forth(1, true), back(1, true);
  for (const auto& block : blocks) BOOST_TEST(bool(add(forth, block)));
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block)
    BOOST_TEST(bool(add(back, *block)));
  const auto sums = values<std::int64_t>(forth, 0, 1);
  BOOST_TEST(sums == values<std::int64_t>(back, 0, 1));
  // 1e-7 and 3e-8 in units of 2^-32, each rounded alone.
  BOOST_TEST(sums == (std::vector<std::int64_t>{429 + 129}));
}

BOOST_AUTO_TEST_CASE(a_cleared_sum_starts_anew) {
  for (const bool reproducible : {false, true}) {
    GradientSum sum(1, reproducible), fresh(1, reproducible);
    BOOST_TEST(sum.empty());
    BOOST_TEST(bool(add(sum, {5})));
    BOOST_TEST(!sum.empty());
    sum.clear();
    BOOST_TEST(sum.empty());
    BOOST_TEST(bool(add(sum, {2})));
    BOOST_TEST(bool(add(fresh, {2})));
    BOOST_TEST(std::ranges::equal(sum.bytes(0, 1), fresh.bytes(0, 1)));
  }
}

BOOST_AUTO_TEST_CASE(what_fixed_point_cannot_hold_is_refused_and_not_added) {
  GradientSum sum(1, true);
  BOOST_TEST(bool(add(sum, {2})));
  const auto before = values<std::int64_t>(sum, 0, 1);
  for (const float bad : {std::numeric_limits<float>::infinity(), 1e6F}) {
    const Status refused = add(sum, {bad});
    BOOST_REQUIRE(!refused);
    BOOST_TEST((refused.error().code == Errc::diverged));
  }
  BOOST_TEST(values<std::int64_t>(sum, 0, 1) == before);
}

BOOST_AUTO_TEST_SUITE_END()
