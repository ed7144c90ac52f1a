#include "storage/folded_crc32.hpp"

#include <zlib.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace slime::storage {

namespace {

std::uint32_t zlib_crc32(std::span<const std::byte> bytes, std::uint32_t before) {
  return static_cast<std::uint32_t>(
      ::crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

#if defined(__x86_64__)

constexpr std::size_t lane = sizeof(__m128i);
constexpr std::size_t stride = 4 * lane;

__attribute__((target("pclmul,sse4.1"))) __m128i load(const std::byte* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

/// What `sum` is worth further on, as far as `constants` say, added to what stands there.
__attribute__((target("pclmul,sse4.1"))) __m128i fold(__m128i sum, __m128i constants,
                                                      __m128i there) {
  const __m128i low = _mm_clmulepi64_si128(sum, constants, 0x00);
  const __m128i high = _mm_clmulepi64_si128(sum, constants, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), there);
}

/// Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel
/// 2009: four lanes are folded over the next four, then into one, then to 64 bits, and reduced as
/// Barrett does. The constants are those of the reflected polynomial, from there.
/// Precondition: a multiple of 16 bytes, at least 64. `sum` is the complement, as is what it gives.
__attribute__((target("pclmul,sse4.1"))) std::uint32_t fold_all(std::span<const std::byte> bytes,
                                                                std::uint32_t sum) {
  const __m128i over_stride = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4);
  const __m128i over_lane = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
  const __m128i over_word = _mm_set_epi64x(0, 0x0163cd6124);
  const __m128i reduction = _mm_set_epi64x(0x01f7011641, 0x01db710641);
  const __m128i even_words = _mm_setr_epi32(~0, 0, ~0, 0);
  const std::byte* at = bytes.data();
  const std::byte* const end = at + bytes.size();
  __m128i lanes[4];
  for (std::size_t i = 0; i < 4; ++i) lanes[i] = load(at + i * lane);
  lanes[0] = _mm_xor_si128(lanes[0], _mm_cvtsi32_si128(static_cast<int>(sum)));
  for (at += stride; end - at >= static_cast<std::ptrdiff_t>(stride); at += stride)
    for (std::size_t i = 0; i < 4; ++i) lanes[i] = fold(lanes[i], over_stride, load(at + i * lane));
  __m128i all = lanes[0];
  for (std::size_t i = 1; i < 4; ++i) all = fold(all, over_lane, lanes[i]);
  for (; at < end; at += lane) all = fold(all, over_lane, load(at));
  const __m128i upper = _mm_srli_si128(all, 8);
  all = _mm_xor_si128(upper, _mm_clmulepi64_si128(all, over_lane, 0x10));
  const __m128i rest = _mm_srli_si128(all, 4);
  all = _mm_clmulepi64_si128(_mm_and_si128(all, even_words), over_word, 0x00);
  all = _mm_xor_si128(all, rest);
  __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(all, even_words), reduction, 0x10);
  quotient = _mm_clmulepi64_si128(_mm_and_si128(quotient, even_words), reduction, 0x00);
  return static_cast<std::uint32_t>(_mm_extract_epi32(_mm_xor_si128(all, quotient), 1));
}

#endif

}  // namespace

std::uint32_t folded_crc32(std::span<const std::byte> bytes, std::uint32_t before) {
#if defined(__x86_64__)
  if (bytes.size() >= stride && __builtin_cpu_supports("pclmul") &&
      __builtin_cpu_supports("sse4.1")) {
    const std::size_t folded = bytes.size() / lane * lane;
    before = ~fold_all(bytes.first(folded), ~before);
    bytes = bytes.subspan(folded);
  }
#endif
  return zlib_crc32(bytes, before);
}

}  // namespace slime::storage
