#include "tools/slime/exchange/number_format.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>

namespace slime::tools {

namespace {

static_assert(std::endian::native == std::endian::little, "files are read as they lie");

float from_float16(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const int fraction = bits & 0x3ff;
  const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 0x1f) return fraction == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
}

float from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

float from_float64(double number) {
  return static_cast<float>(number);
}

template <class Stored>
void convert(std::span<const std::byte> bytes, std::span<float> out, float (*widen)(Stored)) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    Stored stored;  // Copied, because the file aligns nothing.
    std::memcpy(&stored, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    out[i] = widen(stored);
  }
}

}  // namespace

std::size_t bytes_per_number(NumberFormat format) {
  switch (format) {
    case NumberFormat::float16:
    case NumberFormat::bfloat16:
      return 2;
    case NumberFormat::float32:
      return 4;
    case NumberFormat::float64:
      return 8;
  }
  return 0;
}

void to_floats(NumberFormat format, std::span<const std::byte> bytes, std::span<float> out) {
  assert(bytes.size() == out.size() * bytes_per_number(format));
  switch (format) {
    case NumberFormat::float16:
      return convert(bytes, out, from_float16);
    case NumberFormat::bfloat16:
      return convert(bytes, out, from_bfloat16);
    case NumberFormat::float32:
      if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
      return;
    case NumberFormat::float64:
      return convert(bytes, out, from_float64);
  }
}

}  // namespace slime::tools
