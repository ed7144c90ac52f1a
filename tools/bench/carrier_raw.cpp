// Blocking sockets and reused buffers: what the system gives at best.
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "runtime/base/clock.hpp"
#include "runtime/link/endpoint.hpp"
#include "runtime/link/listener.hpp"
#include "runtime/wire/words.hpp"
#include "tools/bench/carrier.hpp"

namespace slime::bench {

namespace {

constexpr std::uint64_t no_answer = std::uint64_t{1} << 63;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void send_message(int fd, std::uint64_t head, const void* data, std::size_t bytes) {
  std::array<iovec, 2> pieces{iovec{&head, sizeof head}, iovec{const_cast<void*>(data), bytes}};
  std::size_t first = 0;
  while (first < pieces.size()) {
    const ssize_t sent =
        ::writev(fd, pieces.data() + first, static_cast<int>(pieces.size() - first));
    if (sent < 0) fail("writing to a socket");
    auto left = static_cast<std::size_t>(sent);
    while (first < pieces.size() && left >= pieces[first].iov_len) left -= pieces[first++].iov_len;
    if (first == pieces.size()) return;
    pieces[first].iov_base = static_cast<char*>(pieces[first].iov_base) + left;
    pieces[first].iov_len -= left;
  }
}

bool receive(int fd, void* data, std::size_t bytes) {
  auto* at = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t got = ::recv(fd, at, bytes, 0);
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

class RawClient final : public Client {
 public:
  explicit RawClient(int fd) : fd_(fd) { tune_socket(fd); }
  ~RawClient() override { ::close(fd_); }

  double stream(std::size_t bytes, std::size_t count, std::size_t window) override {
    const runtime::Words words = payload_of(bytes);
    const Instant start = monotonic_now();
    for (std::size_t sent = 0; sent < count; ++sent) {
      if (sent >= window) confirm();
      send_message(fd_, bytes, words.data(), bytes);
    }
    for (std::size_t i = 0; i < std::min(window, count); ++i) confirm();
    return to_seconds(monotonic_now() - start);
  }

  std::vector<double> round_trips(std::size_t count) override {
    std::array<char, small_bytes> data{};
    std::vector<double> seconds;
    for (std::size_t i = 0; i < count; ++i) {
      const Instant start = monotonic_now();
      send_message(fd_, data.size(), data.data(), data.size());
      confirm();
      seconds.push_back(to_seconds(monotonic_now() - start));
    }
    return seconds;
  }

  double one_way(std::size_t count) override {
    std::array<char, small_bytes> data{};
    const Instant start = monotonic_now();
    for (std::size_t i = 0; i < count; ++i)
      send_message(fd_, data.size() | no_answer, data.data(), data.size());
    send_message(fd_, data.size(), data.data(), data.size());
    confirm();
    return to_seconds(monotonic_now() - start);
  }

 private:
  void confirm() {
    std::uint64_t answer = 0;
    if (!receive(fd_, &answer, sizeof answer)) fail("reading an answer");
  }

  const int fd_;
};

}  // namespace

int serve_raw(const std::string& endpoint) {
  auto listener = runtime::Listener::open({endpoint});
  if (!listener) throw std::runtime_error(to_string(listener.error()));
  std::thread([fd = listener->fd()] {
    ::fcntl(fd, F_SETFL, 0);
    const int peer = ::accept(fd, nullptr, nullptr);
    tune_socket(peer);
    const std::size_t words = (std::size_t{64} << 20) / 8;
    const runtime::Words buffer = runtime::Words::adopt(runtime::acquire_block(words), 0, words);
    auto* data = const_cast<std::uint64_t*>(buffer.data());
    std::uint64_t head = 0;
    while (receive(peer, &head, sizeof head) && receive(peer, data, head & ~no_answer))
      if (!(head & no_answer)) send_message(peer, head, nullptr, 0);
  }).detach();
  announce_and_wait(listener->endpoint().text);
  return 0;
}

std::unique_ptr<Client> connect_raw(const std::string& endpoint) {
  const auto parts = runtime::parse({endpoint});
  if (!parts) throw std::runtime_error(to_string(parts.error()));
  sockaddr_storage address{};
  socklen_t length = 0;
  if (parts->kind == runtime::EndpointParts::Kind::tcp) {
    auto* tcp = reinterpret_cast<sockaddr_in*>(&address);
    tcp->sin_family = AF_INET;
    tcp->sin_port = htons(parts->port);
    tcp->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    length = sizeof *tcp;
  } else {
    auto* local = reinterpret_cast<sockaddr_un*>(&address);
    local->sun_family = AF_UNIX;
    std::memcpy(local->sun_path, parts->path.c_str(), parts->path.size() + 1);
    length = sizeof *local;
  }
  const int fd = ::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), length) != 0) fail("connecting");
  return std::make_unique<RawClient>(fd);
}

}  // namespace slime::bench
