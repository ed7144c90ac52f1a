#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runtime/base/error.hpp"
#include "runtime/link/frame.hpp"
#include "runtime/wire/words.hpp"

namespace slime::runtime {

/// Receives what an `Inbox` has put together.
class FrameSink {
 public:
  virtual ~FrameSink() = default;

  /// A whole message.
  virtual Status on_message(const MessageHead& head, Words words) = 0;
  /// A control message; the view ends with the call.
  virtual Status on_control(std::span<const std::uint64_t> words) = 0;
};

/// Turns the bytes of a connection into messages. Sizes are checked before anything is allocated;
/// long messages are received straight into the block that the actor will read. No I/O of its own;
/// confined to one thread.
class Inbox {
 public:
  /// @param message_bytes_max  A longer message is an error.
  explicit Inbox(std::size_t message_bytes_max);
  ~Inbox();
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  /// Where the next bytes belong; never empty. Valid until `received`.
  std::span<std::byte> space();

  /// Says that `count` bytes were put into `space`, and hands complete frames to `sink`. After an
  /// error the connection is of no more use. Errors: corruption, and what `sink` returns.
  Status received(std::size_t count, FrameSink& sink);

  /// Frames that have begun since this was called last.
  std::uint64_t take_frame_count() { return std::exchange(frames_, 0); }

 private:
  /// A message that is received straight into its block.
  struct Transfer {
    MessageHead head;
    Block* block = nullptr;  ///< Null: none under way.
    std::size_t words = 0;
    std::size_t words_received = 0;
  };

  Status parse(FrameSink& sink);
  Status check(const FramePrefix& prefix) const;
  Status take_frame(const FramePrefix& prefix, FrameSink& sink);
  Status open(const std::uint64_t* payload);
  Status begin_direct(const FramePrefix& prefix, FrameSink& sink);
  Status end_direct(FrameSink& sink);
  std::size_t staged_words() const { return (filled_ - parsed_) / 8; }
  const std::uint64_t* staged() const { return staging_.data() + parsed_ / 8; }

  std::size_t message_bytes_max_;
  std::uint64_t frames_ = 0;
  std::vector<std::uint64_t> staging_;
  std::size_t filled_ = 0;  ///< Bytes in `staging_`.
  std::size_t parsed_ = 0;  ///< Bytes of them done with; a multiple of 8.
  bool bulk_ = false;       ///< The last frame was long: expect another, stage little.

  Transfer single_;                ///< In one frame; it may come between the chunks of the other.
  Transfer chunked_;               ///< In chunks.
  Transfer* receiving_ = nullptr;  ///< Which of the two gets the next bytes; null when staging.
  std::byte* direct_ = nullptr;    ///< Where they belong.
  std::size_t direct_left_ = 0;    ///< To the end of the frame.
};

}  // namespace slime::runtime
