#pragma once

#include <atomic>
#include <thread>

namespace slime::runtime {

/// The right to do work that any thread may do but one at a time. Who does not get it leaves the
/// work to who has it. Sequentially consistent, so that a thread that adds work and then fails to
/// get the turn knows that the holder, looking again after `give_up`, sees that work.
class Turn {
 public:
  /// Never blocks.
  bool try_take() { return !taken_.exchange(true); }
  /// Waits for the holder, who keeps it for microseconds.
  void take() {
    while (!try_take()) std::this_thread::yield();
  }
  void give_up() { taken_.store(false); }

 private:
  std::atomic<bool> taken_{false};
};

}  // namespace slime::runtime
