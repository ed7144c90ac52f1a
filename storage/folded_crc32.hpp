#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace slime::storage {

/// CRC-32 as zlib computes it, several times as fast where the processor multiplies without carry
/// (x86-64 with PCLMULQDQ); zlib's own elsewhere.
/// @param before  Checksum of the bytes in front of them.
std::uint32_t folded_crc32(std::span<const std::byte> bytes, std::uint32_t before);

}  // namespace slime::storage
