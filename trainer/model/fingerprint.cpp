#include "trainer/model/fingerprint.hpp"

#include <openssl/evp.h>

#include <array>
#include <bit>
#include <string_view>

namespace slime::trainer {

static_assert(std::endian::native == std::endian::little,
              "floats are hashed as they lie in memory");

struct Fingerprint::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  bool good = context && EVP_DigestInit_ex(context, EVP_sha256(), nullptr) == 1;

  ~State() { EVP_MD_CTX_free(context); }
};

Fingerprint::Fingerprint() : state_(std::make_unique<State>()) {}

Fingerprint::~Fingerprint() = default;

void Fingerprint::add(std::span<const float> values) {
  state_->good =
      state_->good && EVP_DigestUpdate(state_->context, values.data(), values.size_bytes()) == 1;
}

Result<std::string> Fingerprint::finish() {
  std::array<unsigned char, 32> digest{};
  if (!state_->good || EVP_DigestFinal_ex(state_->context, digest.data(), nullptr) != 1)
    return Error{Errc::internal, "hashing parameters: OpenSSL refused SHA-256"};
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (unsigned char byte : digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

Result<std::string> sha256(std::span<const float> values) {
  Fingerprint fingerprint;
  fingerprint.add(values);
  return fingerprint.finish();
}

}  // namespace slime::trainer
