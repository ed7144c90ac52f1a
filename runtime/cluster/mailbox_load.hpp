#pragma once

#include <atomic>
#include <cstddef>

namespace slime::runtime {

/// How much may wait in one actor's mailbox. Answers, deaths and timers are not counted.
struct MailboxBound {
  std::size_t messages = 100'000;
  std::size_t bytes = std::size_t{1} << 30;
};

/// What waits in one actor's mailbox. Any thread. Senders that race may pass the bound by one
/// message each.
class MailboxLoad {
 public:
  explicit MailboxLoad(MailboxBound bound) : bound_(bound) {}

  bool full() const {
    return messages_.load(std::memory_order_relaxed) >= bound_.messages ||
           bytes_.load(std::memory_order_relaxed) >= bound_.bytes;
  }
  void add(std::size_t bytes) {
    messages_.fetch_add(1, std::memory_order_relaxed);
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }
  void remove(std::size_t bytes) {
    messages_.fetch_sub(1, std::memory_order_relaxed);
    bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  }
  std::size_t messages() const { return messages_.load(std::memory_order_relaxed); }
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  const MailboxBound bound_;
  std::atomic<std::size_t> messages_{0};
  std::atomic<std::size_t> bytes_{0};
};

}  // namespace slime::runtime
