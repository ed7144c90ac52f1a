#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "runtime/link/endpoint.hpp"

namespace slime::runtime {

/// Stands on loopback between two nodes: whoever dials it is connected with the node behind it, as
/// long as the test lets it. One thread carries the bytes; the test's thread says what may pass.
class Relay {
 public:
  /// @param behind  A TCP endpoint on 127.0.0.1.
  explicit Relay(const Endpoint& behind);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  /// What the dialling node is told to dial.
  Endpoint endpoint() const { return endpoint_; }

  /// Closes every connection, both sides. Returns when that is done; so do the others.
  void cut() { order(Order::cut); }
  /// Closes the dialling side only: the node behind goes on holding a dead socket.
  void cut_near_side() { order(Order::cut_near_side); }
  /// Whether new connections are closed as soon as they are there.
  void refuse(bool refusing) { refusing_ = refusing; }
  /// Whether nothing passes, in either direction, while all sockets stay open.
  void silence(bool silent) { silent_ = silent; }
  /// Connections taken, those refused included.
  std::size_t dials() const { return dials_; }

 private:
  enum class Order { none, cut, cut_near_side, end };
  struct Pair {
    int near;
    int far;
  };

  void order(Order order);
  void run();
  void accept_one();
  static bool carry(int from, int to);

  int listener_;
  int port_behind_;
  Endpoint endpoint_;
  std::vector<Pair> pairs_;  // The thread's.
  std::atomic<Order> order_{Order::none};
  std::atomic<bool> refusing_{false};
  std::atomic<bool> silent_{false};
  std::atomic<std::size_t> dials_{0};
  std::thread thread_;
};

}  // namespace slime::runtime
