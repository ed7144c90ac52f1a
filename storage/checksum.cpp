#include "storage/checksum.hpp"

#include <cstring>

#include "storage/folded_crc32.hpp"

namespace slime::storage {

namespace {

// CRC-32 and four zero bytes, so that what follows keeps the alignment of words.
constexpr std::size_t header_bytes = 8;

}  // namespace

std::uint32_t checksum(std::span<const std::byte> bytes, std::uint32_t before) {
  return folded_crc32(bytes, before);
}

std::string seal(const runtime::Words& words) {
  const std::uint32_t sum = checksum(words.as_bytes());
  std::string sealed(header_bytes + words.bytes(), '\0');
  std::memcpy(sealed.data(), &sum, sizeof sum);
  if (words.count() > 0) std::memcpy(sealed.data() + header_bytes, words.data(), words.bytes());
  return sealed;
}

Result<runtime::Words> unseal(std::span<const std::byte> sealed) {
  if (sealed.size() < header_bytes || sealed.size() % 8 != 0)
    return Error{Errc::corruption,
                 "it has " + std::to_string(sealed.size()) + " bytes, which no message has"};
  std::uint64_t sum = 0;
  std::memcpy(&sum, sealed.data(), header_bytes);
  const auto body = sealed.subspan(header_bytes);
  if (checksum(body) != sum) return Error{Errc::corruption, "its checksum is wrong"};
  return runtime::Words::copy(body);
}

}  // namespace slime::storage
