#include "runtime/link/pursuit.hpp"

#include <kj/exception.h>

#include <algorithm>
#include <utility>

#include "runtime/link/opening.hpp"

namespace slime::runtime {

Pursuit::Pursuit(Dialler& dialler, kj::Timer& timer, const LinkSettings& settings, Aim aim,
                 Done done)
    : dialler_(dialler),
      timer_(timer),
      settings_(settings),
      aim_(std::move(aim)),
      done_(std::move(done)),
      pause_(settings.reconnect_min),
      running_(next(0).eagerlyEvaluate([this](kj::Exception&& e) {
        done_(Error{Errc::internal, "dialling: " + text_of(e)});
      })) {}

kj::Promise<void> Pursuit::next(std::size_t index) {
  return dialler_.dial(aim_.endpoints[index], aim_.last_session, false, [this] { reached_ = true; })
      .then([this, index](Result<Dialled> result) { return took(index, std::move(result)); });
}

kj::Promise<void> Pursuit::took(std::size_t index, Result<Dialled> result) {
  reached_ = false;
  // The other side dials us or has a connection that we do not know of yet: it will show.
  if (result && result->welcome.duplicate) return pause();
  const auto is = [&result](Errc code) { return !result && result.error().code == code; };
  const bool pointless = is(Errc::refused) || is(Errc::incompatible) || is(Errc::stale);
  if (result || pointless) {
    done_(std::move(result));
    return kj::READY_NOW;
  }
  last_error_ = result.error().context;
  nobody_there_ = nobody_there_ && result.error().code == Errc::not_found;
  if (index + 1 < aim_.endpoints.size()) return next(index + 1);
  if (nobody_there_ && aim_.was_connected) {
    done_(Error{Errc::unavailable, "its process is gone: " + last_error_});
    return kj::READY_NOW;
  }
  return pause();
}

kj::Promise<void> Pursuit::pause() {
  nobody_there_ = true;
  return timer_.afterDelay(to_kj(pause_)).then([this] {
    pause_ = std::min(pause_ * 2, settings_.reconnect_max);
    return next(0);
  });
}

}  // namespace slime::runtime
