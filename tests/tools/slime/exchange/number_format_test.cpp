#include "tools/slime/exchange/number_format.hpp"

#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace slime::tools;

namespace number_format_test {

template <class Stored>
float converted(NumberFormat format, Stored stored) {
  float out = 0;
  to_floats(format, std::as_bytes(std::span(&stored, 1)), {&out, 1});
  return out;
}

float half(std::uint16_t bits) {
  return converted(NumberFormat::float16, bits);
}

}  // namespace number_format_test

BOOST_AUTO_TEST_SUITE(number_format_test)

BOOST_AUTO_TEST_CASE(halves_become_the_numbers_that_they_are) {
  BOOST_TEST(half(0x3c00) == 1.0F);
  BOOST_TEST(half(0xc000) == -2.0F);
  BOOST_TEST(half(0x7bff) == 65504.0F);
  BOOST_TEST(half(0x0400) == std::ldexp(1.0F, -14));
  BOOST_TEST(half(0x0001) == std::ldexp(1.0F, -24));
  BOOST_TEST(half(0x3555) == 0.333251953125F);
  BOOST_TEST(std::signbit(half(0x8000)));
  BOOST_TEST(half(0xfc00) == -std::numeric_limits<float>::infinity());
  BOOST_TEST(std::isnan(half(0x7e00)));
}

BOOST_AUTO_TEST_CASE(the_other_formats_keep_what_fits_a_float) {
  BOOST_TEST(converted(NumberFormat::bfloat16, std::uint16_t{0x3fc0}) == 1.5F);
  BOOST_TEST(converted(NumberFormat::bfloat16, std::uint16_t{0xff7f}) < -3.3e38F);
  BOOST_TEST(converted(NumberFormat::float32, 0.1F) == 0.1F);
  BOOST_TEST(converted(NumberFormat::float64, 0.1) == 0.1F);
  BOOST_TEST(std::isinf(converted(NumberFormat::float64, 1e300)));
}

// Goal: a tensor may lie anywhere in a file.
BOOST_AUTO_TEST_CASE(numbers_need_not_be_aligned) {
  std::vector<std::byte> bytes(1 + 3 * sizeof(float));
  const float numbers[] = {1, -2, 3};
  std::memcpy(bytes.data() + 1, numbers, sizeof(numbers));
  std::vector<float> out(3);
  to_floats(NumberFormat::float32, std::span(bytes).subspan(1), out);
  BOOST_TEST(out == (std::vector<float>{1, -2, 3}));
}

BOOST_AUTO_TEST_SUITE_END()
