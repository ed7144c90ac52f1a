#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "runtime/base/error.hpp"
#include "runtime/wire/words.hpp"

namespace slime::storage {

/// CRC-32 of `bytes`, as zlib and gzip compute it. It finds damage; it does not prove origin.
/// @param before  Checksum of the bytes in front of them.
std::uint32_t checksum(std::span<const std::byte> bytes, std::uint32_t before = 0);

/// `words` behind a header that holds their checksum: how messages lie on disk.
std::string seal(const runtime::Words& words);
/// The words of a sealed message. Errors: corruption (too short, not whole words, or a wrong
/// checksum); the context says which, and the caller adds where the bytes came from.
Result<runtime::Words> unseal(std::span<const std::byte> sealed);

}  // namespace slime::storage
