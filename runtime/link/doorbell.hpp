#pragma once

#include <functional>
#include <memory>

#include "runtime/link/mpsc_queue.hpp"

namespace slime::runtime {

/// How other threads give the link's thread work: a lock-free queue and an eventfd that is written
/// only when the queue was empty, for only then may the thread be asleep.
class Doorbell {
 public:
  /// Throws std::system_error when the system has no file descriptor left.
  Doorbell();
  ~Doorbell();
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;

  /// Any thread, never blocks. Work given after the link has stopped is destroyed unrun.
  void post(std::function<void()> work);

  /// Becomes readable when there is work.
  int fd() const { return fd_; }
  /// The link's thread. Runs what was posted; if something throws, `failed` gets its text and the
  /// next is run.
  void run_posted(const std::function<void(const char*)>& failed);

 private:
  struct Work {
    Work* next = nullptr;
    std::function<void()> run;
  };

  int fd_;
  MpscQueue<Work> queue_;
};

}  // namespace slime::runtime
