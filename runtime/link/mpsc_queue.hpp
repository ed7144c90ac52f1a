#pragma once

#include <atomic>
#include <memory>

namespace slime::runtime {

/// A lock-free queue of `Node`s with a `Node* next` member: any thread pushes, one at a time takes
/// everything. Orders are kept per pushing thread.
template <class Node>
class MpscQueue {
 public:
  MpscQueue() = default;
  MpscQueue(const MpscQueue&) = delete;
  MpscQueue& operator=(const MpscQueue&) = delete;
  ~MpscQueue() {
    take_all([](std::unique_ptr<Node>) {});
  }

  /// Any thread. @returns whether the queue was empty.
  bool push(std::unique_ptr<Node> node) {
    Node* added = node.release();
    Node* head = head_.load(std::memory_order_relaxed);
    // Sequentially consistent: a pusher that then finds the taker busy relies on the taker's later
    // look at `empty` seeing this.
    do added->next = head;
    while (!head_.compare_exchange_weak(head, added, std::memory_order_seq_cst,
                                        std::memory_order_relaxed));
    return head == nullptr;
  }

  bool empty() const { return head_.load(std::memory_order_seq_cst) == nullptr; }

  /// Calls `use(std::unique_ptr<Node>)` for each node, oldest first.
  template <class Use>
  void take_all(Use&& use) {
    Node* newest = head_.exchange(nullptr, std::memory_order_acquire);
    Node* oldest = nullptr;
    while (newest) {
      Node* older = newest->next;
      newest->next = oldest;
      oldest = newest;
      newest = older;
    }
    while (oldest) {
      std::unique_ptr<Node> node(oldest);
      oldest = oldest->next;
      use(std::move(node));
    }
  }

 private:
  std::atomic<Node*> head_{nullptr};
};

}  // namespace slime::runtime
