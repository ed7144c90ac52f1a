#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace slime::runtime {

/// Memory that holds one message, shared by reference count. The header sits in front of the
/// bytes, so one pointer crosses the plugin boundary and any side can release it.
struct Block {
  std::atomic<std::uint32_t> references{1};
  std::uint32_t size_class = 0;    ///< Index of the pool's free list; see words.cpp.
  std::size_t capacity_words = 0;  ///< 8-byte words that follow the header.

  std::uint64_t* words() { return reinterpret_cast<std::uint64_t*>(this + 1); }
};
static_assert(sizeof(Block) % 8 == 0);

/// Takes a block of at least `words` words, contents undefined, reference count 1. Blocks of
/// 64 KiB and more come from a process-wide pool on huge pages, because the first touch of fresh
/// memory costs more than sending it. Any thread. Like malloc, the pool is the one piece of
/// process-wide state here. Throws std::bad_alloc.
Block* acquire_block(std::size_t words);
/// Drops one reference; the last one returns the memory. Any thread. Null is allowed.
void release_block(Block* block) noexcept;
/// Bytes that the pool keeps for reuse at this moment.
std::size_t pooled_bytes();

/// Immutable, shared 8-byte words: the bytes of one message in Cap'n Proto's flat stream format
/// (segment table, then segments). Copies share the block; any thread may hold or drop one.
class Words {
 public:
  Words() = default;
  /// Takes over one reference to `block`; the message is `count` words from `offset` on.
  static Words adopt(Block* block, std::size_t offset, std::size_t count) {
    Words words;
    words.block_ = block;
    words.data_ = block->words() + offset;
    words.count_ = count;
    return words;
  }
  /// Copies `bytes`, padding the last word with zeros.
  static Words copy(std::span<const std::byte> bytes);

  Words(const Words& other) : block_(other.block_), data_(other.data_), count_(other.count_) {
    if (block_) block_->references.fetch_add(1, std::memory_order_relaxed);
  }
  Words(Words&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)),
        data_(std::exchange(other.data_, nullptr)),
        count_(std::exchange(other.count_, 0)) {}
  Words& operator=(Words other) noexcept {
    std::swap(block_, other.block_);
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~Words() { release_block(block_); }

  const std::uint64_t* data() const { return data_; }
  std::size_t count() const { return count_; }
  std::size_t bytes() const { return count_ * 8; }
  std::span<const std::byte> as_bytes() const {
    return {reinterpret_cast<const std::byte*>(data_), bytes()};
  }

 private:
  Block* block_ = nullptr;
  const std::uint64_t* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace slime::runtime
