#include "trainer/model/fingerprint.hpp"

#include <openssl/evp.h>

#include <array>
#include <bit>
#include <string_view>

namespace slime::trainer {

static_assert(std::endian::native == std::endian::little,
              "floats are hashed as they lie in memory");

Result<std::string> sha256(std::span<const float> values) {
  std::array<unsigned char, 32> digest{};
  unsigned int size = 0;
  if (EVP_Digest(values.data(), values.size_bytes(), digest.data(), &size, EVP_sha256(), nullptr) !=
      1)
    return Error{Errc::internal, "hashing parameters: OpenSSL refused SHA-256"};
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (unsigned char byte : digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace slime::trainer
