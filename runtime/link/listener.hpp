#pragma once

#include <string>

#include "runtime/base/error.hpp"
#include "runtime/link/endpoint.hpp"

namespace slime::runtime {

/// A bound, listening socket. Closes it, and removes a Unix socket's file, when destroyed.
class Listener {
 public:
  /// Binds and listens. The socket file that a dead process left is replaced, a live one's is not.
  /// Errors: invalid_argument, already_exists (names who listens there, where it can be
  /// told), io_error (names the endpoint and the system's reason).
  static Result<Listener> open(const Endpoint& endpoint);

  Listener(Listener&& other) noexcept;
  Listener& operator=(Listener&&) = delete;
  ~Listener();

  int fd() const { return fd_; }
  /// What it is really bound to: the port is the system's choice if 0 was asked for.
  const Endpoint& endpoint() const { return endpoint_; }

 private:
  Listener(int fd, Endpoint endpoint, std::string path);

  int fd_;
  Endpoint endpoint_;
  std::string path_;  // Of the socket's file; empty for TCP.
};

}  // namespace slime::runtime
