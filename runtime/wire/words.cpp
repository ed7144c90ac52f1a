#include "runtime/wire/words.hpp"

#include <sys/mman.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>

namespace slime::runtime {

namespace {

// Size classes are powers of two of bytes and a little more, so that a power of two of payload with
// its headers is not rounded up to twice its size. Smaller blocks go to malloc.
constexpr unsigned smallest_class = 16;  // 64 KiB
constexpr std::size_t slack_bytes = 4096;
constexpr unsigned largest_class = 31;  // 2 GiB
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t keep_bytes = std::size_t{512} << 20;

constexpr std::size_t class_bytes(unsigned size_class) {
  return (std::size_t{1} << size_class) + slack_bytes;
}

// The smallest that has room for so many.
constexpr unsigned class_of(std::size_t bytes) {
  return bytes <= slack_bytes ? 0 : static_cast<unsigned>(std::bit_width(bytes - slack_bytes - 1));
}

struct Pool {
  std::mutex mutex;
  std::array<std::vector<void*>, largest_class + 1> free;
  std::size_t bytes = 0;
};

Pool& pool() {
  // Never destroyed: messages may outlive static destruction in other threads.
  static Pool* instance = new Pool;
  return *instance;
}

void* allocate(std::size_t bytes) {
  if (bytes < huge_page) return std::malloc(bytes);
  // glibc asks for no multiple of the alignment.
  void* memory = std::aligned_alloc(huge_page, bytes);
  if (memory) ::madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

Block* construct(void* memory, std::uint32_t size_class, std::size_t bytes) {
  if (!memory) throw std::bad_alloc();
  Block* block = new (memory) Block;
  block->size_class = size_class;
  block->capacity_words = (bytes - sizeof(Block)) / 8;
  return block;
}

}  // namespace

Block* acquire_block(std::size_t words) {
  const std::size_t needed = words * 8 + sizeof(Block);
  const unsigned size_class = class_of(needed);
  if (size_class > largest_class) throw std::bad_alloc();
  if (size_class < smallest_class) return construct(std::malloc(needed), 0, needed);
  const std::size_t bytes = class_bytes(size_class);
  {
    Pool& shared = pool();
    const std::lock_guard lock(shared.mutex);
    auto& list = shared.free[size_class];
    if (!list.empty()) {
      void* memory = list.back();
      list.pop_back();
      shared.bytes -= bytes;
      return construct(memory, size_class, bytes);
    }
  }
  return construct(allocate(bytes), size_class, bytes);
}

void release_block(Block* block) noexcept {
  if (!block || block->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const unsigned size_class = block->size_class;
  block->~Block();
  if (size_class != 0) {
    const std::size_t bytes = class_bytes(size_class);
    Pool& shared = pool();
    const std::lock_guard lock(shared.mutex);
    if (shared.bytes + bytes <= keep_bytes) {
      shared.free[size_class].push_back(block);
      shared.bytes += bytes;
      return;
    }
  }
  std::free(block);
}

std::size_t pooled_bytes() {
  Pool& shared = pool();
  const std::lock_guard lock(shared.mutex);
  return shared.bytes;
}

Words Words::copy(std::span<const std::byte> bytes) {
  const std::size_t count = (bytes.size() + 7) / 8;
  Block* block = acquire_block(count);
  if (count > 0) {
    block->words()[count - 1] = 0;
    std::memcpy(block->words(), bytes.data(), bytes.size());
  }
  return adopt(block, 0, count);
}

}  // namespace slime::runtime
