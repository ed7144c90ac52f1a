#include "tests/runtime/link/relay.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace slime::runtime {

namespace {

constexpr int poll_ms = 2;

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int stream_socket() {
  return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

void close_if_open(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

}  // namespace

Relay::Relay(const Endpoint& behind)
    : listener_(stream_socket()), port_behind_(parse(behind).value().port) {
  sockaddr_in address = loopback(0);
  socklen_t length = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_, plain, length) != 0 || ::listen(listener_, 16) != 0 ||
      ::getsockname(listener_, plain, &length) != 0)
    throw std::runtime_error("the relay cannot listen");
  endpoint_.text = "tcp:127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  thread_ = std::thread([this] { run(); });
}

Relay::~Relay() {
  order(Order::end);
  thread_.join();
  ::close(listener_);
}

void Relay::order(Order order) {
  order_ = order;
  while (order_ != Order::none) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void Relay::run() {
  for (bool going_on = true; going_on;) {
    std::vector<pollfd> waiting{{listener_, POLLIN, 0}};
    // A negative descriptor is passed over.
    for (const Pair& pair : pairs_)
      for (const int fd : {pair.near, pair.far})
        waiting.push_back({silent_ || pair.near < 0 ? -1 : fd, POLLIN, 0});
    ::poll(waiting.data(), waiting.size(), poll_ms);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      Pair& pair = pairs_[i];
      const bool alive = (waiting[1 + 2 * i].revents == 0 || carry(pair.near, pair.far)) &&
                         (waiting[2 + 2 * i].revents == 0 || carry(pair.far, pair.near));
      if (alive) continue;
      close_if_open(pair.near);
      close_if_open(pair.far);
    }
    if (waiting[0].revents != 0) accept_one();
    const Order order = order_;
    for (Pair& pair : pairs_) {
      if (order != Order::none) close_if_open(pair.near);
      if (order == Order::cut || order == Order::end) close_if_open(pair.far);
    }
    going_on = order != Order::end;
    if (order != Order::none) order_ = Order::none;
  }
}

void Relay::accept_one() {
  Pair pair{::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC), -1};
  if (pair.near < 0) return;
  ++dials_;
  pair.far = stream_socket();
  const sockaddr_in address = loopback(port_behind_);
  if (!refusing_ &&
      ::connect(pair.far, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    pairs_.push_back(pair);
    return;
  }
  close_if_open(pair.near);
  close_if_open(pair.far);
}

bool Relay::carry(int from, int to) {
  std::array<std::byte, std::size_t{64} << 10> bytes;
  const ssize_t count = ::recv(from, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count <= 0) return false;
  for (ssize_t sent = 0; sent < count;) {
    const ssize_t more =
        ::send(to, bytes.data() + sent, static_cast<std::size_t>(count - sent), MSG_NOSIGNAL);
    if (more <= 0) return false;
    sent += more;
  }
  return true;
}

}  // namespace slime::runtime
