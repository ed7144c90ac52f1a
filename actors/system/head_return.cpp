#include "actors/system/head_return.hpp"

#include <algorithm>
#include <utility>

namespace slime::actors {

namespace {

constexpr Duration try_within = std::chrono::seconds(1);
constexpr Duration pause_min = std::chrono::milliseconds(50);
constexpr Duration pause_max = std::chrono::seconds(1);

bool may_come_yet(Errc code) {
  return code == Errc::unavailable || code == Errc::timeout || code == Errc::overloaded;
}

std::string seconds_text(Duration duration) {
  return std::to_string(duration / std::chrono::seconds(1)) + " s";
}

}  // namespace

HeadReturn::HeadReturn(Duration limit, Steps steps)
    : limit_(limit), steps_(std::move(steps)), thread_([this] { run(); }) {}

HeadReturn::~HeadReturn() {
  stop();
}

void HeadReturn::lost(std::uint64_t incarnation, const Error& why) {
  const std::lock_guard lock(mutex_);
  lost_ = Loss{incarnation, why};
  changed_.notify_all();
}

void HeadReturn::left() {
  const std::lock_guard lock(mutex_);
  left_ = true;
  changed_.notify_all();
}

void HeadReturn::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void HeadReturn::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || lost_; });
    if (stopping_) return;
    const Error why = std::exchange(lost_, std::nullopt)->why;
    lock.unlock();
    const auto back = await(why);
    lock.lock();
    if (!back) return;
    // What is told late of the process before that one is no news.
    if (lost_ && lost_->incarnation != *back) lost_.reset();
  }
}

std::optional<std::uint64_t> HeadReturn::await(const Error& why) {
  const Instant lost_at = monotonic_now();
  const Instant deadline = lost_at + limit_;
  steps_.log(LogLevel::warning, why.context + "; waiting for it for up to " + seconds_text(limit_) +
                                    ", while this node's actors go on");
  std::string last;
  Duration pause = pause_min;
  for (Instant now = lost_at; now < deadline; now = monotonic_now()) {
    {
      // The first attempt can wait, too: a goodbye may be on its way.
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, std::min(pause, deadline - now),
                        [this] { return stopping_ || left_; });
      if (stopping_) return std::nullopt;
      if (left_) {
        lock.unlock();
        steps_.give_up({why.code, why.context + "; it has left the cluster"});
        return std::nullopt;
      }
    }
    pause = std::min(2 * pause, pause_max);
    const auto back = steps_.rejoin(try_within);
    if (back) {
      steps_.log(LogLevel::warning, "the head is back after " +
                                        seconds_text(monotonic_now() - lost_at) +
                                        ", and this node has joined it again");
      return *back;
    }
    if (!may_come_yet(back.error().code)) {
      steps_.give_up({back.error().code, why.context + "; joining again: " + back.error().context});
      return std::nullopt;
    }
    last = "; joining again: " + back.error().context;
  }
  steps_.give_up(
      {why.code, why.context + "; it did not come back within " + seconds_text(limit_) + last});
  return std::nullopt;
}

}  // namespace slime::actors
