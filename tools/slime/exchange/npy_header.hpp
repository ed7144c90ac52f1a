#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/error.hpp"

namespace slime::tools {

/// The header of a .npy array, as numpy's "NEP 1: A Simple File Format for NumPy Arrays" and
/// numpy.lib.format define it: six magic bytes, a version, the length of the rest, and a Python
/// dictionary.
struct NpyHeader {
  std::string type;  ///< "<f4": byte order, kind, bytes of a number. A list: fields of a record.
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

/// Before the dictionary's length is known this many bytes have to be read; every array has them.
inline constexpr std::size_t npy_start_bytes = 12;

/// A header of version 1.0 for float32 in row-major order; the numbers follow it at a multiple of
/// 64 bytes. Precondition: at most 32 dimensions.
std::string npy_header(std::span<const std::uint64_t> shape);

/// Bytes of the whole header that begins so; bounded. Precondition: `start` has npy_start_bytes.
/// Errors: corruption (no array, or of an unknown version).
Result<std::size_t> npy_header_bytes(std::span<const std::byte> start);

/// Reads a whole header. Trusts nothing. Errors: corruption (the context does not name the array).
Result<NpyHeader> read_npy_header(std::string_view header);

}  // namespace slime::tools
