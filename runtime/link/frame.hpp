#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "runtime/base/ids.hpp"

namespace slime::runtime {

static_assert(std::endian::native == std::endian::little, "frames are little-endian");

/// First bytes on a connection, both ways, the same in every version of the protocol: whatever
/// changes, two versions can tell each other which they are.
struct Preamble {
  static constexpr std::uint64_t magic_value = 0x4b4e494c'4d494c53;  // "SLIMLINK"
  static constexpr std::uint32_t current_version = 1;

  std::uint64_t magic = magic_value;
  std::uint32_t version = current_version;
  std::uint32_t words = 0;  ///< Of the handshake message that follows.
};
static_assert(sizeof(Preamble) == 16);

/// The largest handshake and control messages, in words: a stranger can claim no more memory.
constexpr std::uint32_t handshake_words_max = 2048;
constexpr std::uint32_t control_words_max = 8192;
/// Messages over this many words travel in chunks of at most this many.
constexpr std::uint32_t chunk_words_max = (1u << 20) / 8;

enum class FrameKind : std::uint8_t {
  message = 1,  ///< `MessageHead`, then the words of a message.
  open = 2,     ///< `MessageHead`, then one word: how many words of a message come in chunks.
  chunk = 3,    ///< The next words of the message that was opened last.
  control = 4,  ///< A schema::LinkControl.
};

/// In front of every frame after the handshake.
struct FramePrefix {
  std::uint32_t words = 0;  ///< That follow.
  FrameKind kind = FrameKind::message;
  std::array<std::uint8_t, 3> reserved = {};
};
static_assert(sizeof(FramePrefix) == 8);

/// Delivery note of a message.
struct MessageHead {
  std::uint64_t id = 0;      ///< CAF's message id, verbatim, category bits included.
  std::uint64_t type = 0;    ///< Schema type; 0 with no words: a void reply.
  std::uint64_t target = 0;  ///< Number of an actor of the receiving node.
  /// Whom the receiver sees as sender: an actor of any node; number 0 for none. In an answer it
  /// is left out.
  ActorAddress sender;
};
static_assert(sizeof(MessageHead) == 56);

constexpr std::size_t head_words = sizeof(MessageHead) / 8;

/// What a message counts against credits and queue bounds, in bytes.
constexpr std::size_t message_cost(std::size_t words) {
  return sizeof(MessageHead) + words * 8;
}

/// Whether a message goes ahead of others and needs no credit: CAF's category "urgent", which is
/// the two bits from 60 on being zero, and short enough not to hold up what it overtakes.
constexpr bool is_urgent(std::uint64_t id, std::size_t words) {
  return ((id >> 60) & 3) == 0 && words <= chunk_words_max;
}

}  // namespace slime::runtime
