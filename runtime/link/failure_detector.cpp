#include "runtime/link/failure_detector.hpp"

#include <utility>

namespace slime::runtime {

Liveness judge(Duration silent, bool suspected, Duration suspect_after, Duration dead_after) {
  if (silent < suspect_after) return Liveness::alive;
  return suspected && silent >= dead_after ? Liveness::dead : Liveness::suspect;
}

FailureDetector::FailureDetector(std::shared_ptr<LinkContext> context,
                                 std::function<Instant()> link_alive, Report report)
    : context_(std::move(context)),
      link_alive_(std::move(link_alive)),
      report_(std::move(report)),
      thread_([this] { run(); }) {}

FailureDetector::~FailureDetector() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void FailureDetector::run() {
  const Duration pause = context_->settings.heartbeat / 2;
  const Duration lateness_max = context_->settings.suspect_after / 2;
  Instant last = monotonic_now();
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, pause, [this] { return stopping_; })) {
    const Instant now = monotonic_now();
    const bool stood_still =
        now - last > pause + lateness_max || now - link_alive_() > pause * 2 + lateness_max;
    last = now;
    if (stood_still) {
      // Whatever the peers said meanwhile waits to be read.
      for (const auto& peer : context_->peers.all())
        if (peer->judged) peer->heard(now);
    } else {
      look(now);
    }
  }
}

void FailureDetector::look(Instant now) {
  const LinkSettings& settings = context_->settings;
  for (const auto& peer : context_->peers.all()) {
    if (!peer->judged) continue;
    const Duration silent = now - peer->last_heard();
    const bool suspected = peer->suspected;
    const Liveness liveness = judge(silent, suspected, settings.suspect_after, settings.dead_after);
    if (suspected != (liveness == Liveness::suspect)) report_(peer, liveness, silent);
  }
}

}  // namespace slime::runtime
