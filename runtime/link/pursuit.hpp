#pragma once

#include <kj/async-io.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/link/dialler.hpp"

namespace slime::runtime {

/// Dials one peer until it is reached: all its endpoints in turn, then a pause that doubles, and so
/// on; whoever started it decides when that has lasted long enough and destroys it. Link's thread
/// only.
class Pursuit {
 public:
  struct Aim {
    std::vector<Endpoint> endpoints;  ///< Not empty.
    std::uint64_t last_session = 0;
    bool was_connected = false;  ///< Then nobody being there any more means that it is dead.
  };
  /// Called once, with the connection, or with an error when going on is pointless: we are refused,
  /// or its process is gone. The pursuit must not be destroyed inside it.
  using Done = std::function<void(Result<Dialled>)>;

  /// @param dialler, timer, settings  Outlive it.
  Pursuit(Dialler& dialler, kj::Timer& timer, const LinkSettings& settings, Aim aim, Done done);

  /// Whether a socket is connected, on which the handshake is under way.
  bool reached() const { return reached_; }
  /// Why it is not there yet; empty before the first failure.
  const std::string& last_error() const { return last_error_; }

 private:
  kj::Promise<void> next(std::size_t index);
  kj::Promise<void> took(std::size_t index, Result<Dialled> result);
  kj::Promise<void> pause();

  Dialler& dialler_;
  kj::Timer& timer_;
  const LinkSettings& settings_;
  const Aim aim_;
  const Done done_;
  Duration pause_;
  bool reached_ = false;
  bool nobody_there_ = true;  ///< Said so by all endpoints of this round so far.
  std::string last_error_;
  kj::Promise<void> running_;
};

}  // namespace slime::runtime
