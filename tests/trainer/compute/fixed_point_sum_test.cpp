#include "trainer/compute/fixed_point_sum.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/base/random.hpp"

using namespace slime;
using namespace slime::trainer;

namespace fixed_point_sum_test {

constexpr std::size_t size = 50;

std::vector<std::vector<float>> random_parts(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::vector<float>> parts(count, std::vector<float>(size));
  for (auto& part : parts)
    for (float& value : part)
      value = static_cast<float>(random.normal() * std::pow(10.0, random.uniform() * 8 - 6));
  return parts;
}

FixedPointSum sum_of(const std::vector<std::vector<float>>& parts) {
  FixedPointSum sum(size);
  for (const auto& part : parts) BOOST_TEST(bool(sum.add(part)));
  return sum;
}

bool equal(const FixedPointSum& a, const FixedPointSum& b) {
  return a.parts() == b.parts() && std::ranges::equal(a.sums(), b.sums());
}

}  // namespace fixed_point_sum_test

BOOST_AUTO_TEST_SUITE(fixed_point_sum_test)

// Goal: the sum is the same however parts are ordered and dealt out to workers.
// Method: shuffle them, sum random groups apart, merge the groups.
BOOST_AUTO_TEST_CASE(order_and_grouping_do_not_matter) {
  auto parts = random_parts(64, 1);
  const FixedPointSum expected = sum_of(parts);
  Random random(2);
  for (int round = 0; round < 50; ++round) {
    for (std::size_t left = parts.size(); left > 1; --left)
      std::swap(parts[left - 1], parts[random.below(left)]);
    const std::size_t workers = 1 + random.below(8);
    std::vector<FixedPointSum> groups(workers, FixedPointSum(size));
    for (const auto& part : parts) BOOST_TEST(bool(groups[random.below(workers)].add(part)));
    FixedPointSum total(size);
    for (const auto& group : groups) BOOST_TEST(bool(total.add(group.sums(), group.parts())));
    BOOST_TEST(equal(total, expected));
  }
}

BOOST_AUTO_TEST_CASE(a_part_is_rounded_to_the_nearest_unit) {
  FixedPointSum sum(4, 2);
  BOOST_TEST(bool(sum.add(std::vector<float>{0.25F, 0.3F, -0.374F, 0.376F})));
  const std::vector<std::int64_t> expected{1, 1, -1, 2};
  BOOST_TEST(sum.sums() == expected, boost::test_tools::per_element());
  std::vector<double> values(2);
  sum.values(2, values);
  BOOST_TEST(values == (std::vector<double>{-0.25, 0.5}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_sum_is_within_half_a_unit_per_part_of_the_true_one) {
  const auto parts = random_parts(64, 3);
  const FixedPointSum sum = sum_of(parts);
  std::vector<double> values(size);
  sum.values(0, values);
  for (std::size_t i = 0; i < size; ++i) {
    long double exact = 0;
    for (const auto& part : parts) exact += static_cast<long double>(part[i]);
    BOOST_TEST(std::abs(values[i] - static_cast<double>(exact)) <= 64 * 0x1p-33);
  }
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused_and_leaves_the_sum_alone) {
  const FixedPointSum before = sum_of(random_parts(3, 4));
  using limits = std::numeric_limits<float>;
  for (const float bad : {limits::quiet_NaN(), limits::infinity(), -limits::infinity(), 1024.001F,
                          -1024.001F, limits::max()}) {
    FixedPointSum sum = before;
    std::vector<float> part(size, 1);
    part[37] = bad;
    const Status status = sum.add(part);
    BOOST_REQUIRE(!status);
    BOOST_TEST(status.error().context.find("parameter 37") != std::string::npos);
    BOOST_TEST(equal(sum, before));
  }
  FixedPointSum sum = before;
  BOOST_TEST(bool(sum.add(std::vector<float>(size, 1024))));
  BOOST_TEST(!sum.add(std::vector<float>(size + 1)));
}

BOOST_AUTO_TEST_CASE(the_largest_sum_of_the_most_parts_is_exact) {
  FixedPointSum sum(1);
  const std::vector<float> largest{1024};
  for (std::uint32_t i = 0; i < FixedPointSum::parts_max; ++i)
    BOOST_REQUIRE(bool(sum.add(largest)));
  BOOST_TEST(sum.sums()[0] == std::int64_t{1} << 62);
  BOOST_TEST(!sum.add(largest));
  BOOST_TEST(sum.sums()[0] == std::int64_t{1} << 62);
  sum.clear();
  BOOST_TEST(sum.parts() == 0U);
  BOOST_TEST(bool(sum.add(largest)));
}

BOOST_AUTO_TEST_CASE(a_sum_that_its_parts_cannot_reach_is_refused) {
  FixedPointSum sum(1);
  const std::int64_t most = std::int64_t{3} << FixedPointSum::part_bits;
  BOOST_TEST(bool(sum.add(std::vector<std::int64_t>{most}, 3)));
  BOOST_TEST(!sum.add(std::vector<std::int64_t>{most + 1}, 3));
  BOOST_TEST(!sum.add(std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min()}, 3));
  BOOST_TEST(!sum.add(std::vector<std::int64_t>{0}, FixedPointSum::parts_max));
  BOOST_TEST(sum.parts() == 3U);
  BOOST_TEST(sum.sums()[0] == most);
}

BOOST_AUTO_TEST_SUITE_END()
