#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace slime::tools {

/// How a file holds floating-point numbers: IEEE 754, and bfloat16, the upper half of a float32.
/// Little-endian.
enum class NumberFormat : std::uint8_t { float16, bfloat16, float32, float64 };

std::size_t bytes_per_number(NumberFormat format);

/// Turns numbers of a file into float32, exactly but for float64, which is rounded to the nearest
/// one and beyond the range of float32 becomes infinite. Precondition: `bytes` holds as many
/// numbers as `out`.
void to_floats(NumberFormat format, std::span<const std::byte> bytes, std::span<float> out);

}  // namespace slime::tools
