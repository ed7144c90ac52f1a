#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "runtime/base/clock.hpp"
#include "runtime/link/link_context.hpp"
#include "runtime/link/peer.hpp"

namespace slime::runtime {

enum class Liveness { alive, suspect, dead };

/// What silence means. A peer is suspected before it is declared dead, so at least one look lies
/// between the two.
Liveness judge(Duration silent, bool suspected, Duration suspect_after, Duration dead_after);

/// Watches how long peers have been silent, on a thread of its own and on the monotonic clock, so
/// that a busy link cannot make it late unnoticed. When this process itself stood still (stopped,
/// swapped, or the link's thread held up), it gives everyone time to be heard before it judges.
class FailureDetector {
 public:
  /// Called on the detector's thread.
  using Report = std::function<void(std::shared_ptr<Peer>, Liveness, Duration silent)>;

  /// @param link_alive  When the link's thread last came round.
  FailureDetector(std::shared_ptr<LinkContext> context, std::function<Instant()> link_alive,
                  Report report);
  /// Waits for the thread.
  ~FailureDetector();

 private:
  void run();
  void look(Instant now);

  const std::shared_ptr<LinkContext> context_;
  const std::function<Instant()> link_alive_;
  const Report report_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace slime::runtime
