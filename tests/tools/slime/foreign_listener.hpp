#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <string>
#include <thread>

namespace slime::tests {

/// Somebody else on a port of this machine: answers every connection with the same bytes, whatever
/// it is told, and closes it.
class ForeignListener {
 public:
  explicit ForeignListener(std::string answer)
      : answer_(std::move(answer)),
        descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    auto* address = reinterpret_cast<sockaddr*>(&at);
    BOOST_REQUIRE(::bind(descriptor_, address, size) == 0 && ::listen(descriptor_, 16) == 0);
    BOOST_REQUIRE(::getsockname(descriptor_, address, &size) == 0);
    address_ = "tcp:127.0.0.1:" + std::to_string(ntohs(at.sin_port));
    thread_ = std::thread([this] { serve(); });
  }
  ~ForeignListener() {
    over_ = true;
    thread_.join();
    ::close(descriptor_);
  }
  ForeignListener(const ForeignListener&) = delete;
  ForeignListener& operator=(const ForeignListener&) = delete;

  const std::string& address() const { return address_; }

 private:
  void serve() const {
    pollfd waiting{descriptor_, POLLIN, 0};
    while (!over_) {
      if (::poll(&waiting, 1, 20) <= 0) continue;
      const int connection = ::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC);
      char asked[4096];
      // Read first, for a socket that is closed with bytes unread takes its answer with it.
      if (::recv(connection, asked, sizeof asked, 0) > 0)
        ::send(connection, answer_.data(), answer_.size(), MSG_NOSIGNAL);
      ::close(connection);
    }
  }

  std::string answer_;
  int descriptor_;
  std::string address_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

/// What a node of another version of the protocol says first.
inline std::string other_version() {
  return std::string("SLIMLINK\xe7\x03\0\0", 12) + std::string(4, '\0');
}

}  // namespace slime::tests
