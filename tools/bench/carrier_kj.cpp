// A bare KJ stream with the least framing there is: what our link is built on.
#include <kj/async-io.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <thread>

#include "runtime/base/clock.hpp"
#include "runtime/link/endpoint.hpp"
#include "runtime/link/listener.hpp"
#include "runtime/wire/words.hpp"
#include "tools/bench/carrier.hpp"

namespace slime::bench {

namespace {

constexpr std::uint64_t no_answer = std::uint64_t{1} << 63;

void tune(kj::AsyncIoStream& stream) {
  KJ_IF_MAYBE (fd, stream.getFd()) {
    tune_socket(*fd);
  }
}

class KjClient final : public Client {
 public:
  explicit KjClient(const std::string& address) : io_(kj::setupAsyncIo()) {
    auto parsed = io_.provider->getNetwork().parseAddress(address).wait(io_.waitScope);
    stream_ = parsed->connect().wait(io_.waitScope);
    tune(*stream_);
  }
  // KJ's destructors may throw; here an exception ends the program.
  ~KjClient() noexcept override {}

  double stream(std::size_t bytes, std::size_t count, std::size_t window) override {
    const runtime::Words words = payload_of(bytes);
    const Instant start = monotonic_now();
    for (std::size_t sent = 0; sent < count; ++sent) {
      if (sent >= window) confirm();
      send(bytes, words.data(), bytes);
    }
    for (std::size_t i = 0; i < std::min(window, count); ++i) confirm();
    return to_seconds(monotonic_now() - start);
  }

  std::vector<double> round_trips(std::size_t count) override {
    std::array<char, small_bytes> data{};
    std::vector<double> seconds;
    for (std::size_t i = 0; i < count; ++i) {
      const Instant start = monotonic_now();
      send(data.size(), data.data(), data.size());
      confirm();
      seconds.push_back(to_seconds(monotonic_now() - start));
    }
    return seconds;
  }

  double one_way(std::size_t count) override {
    std::array<char, small_bytes> data{};
    const Instant start = monotonic_now();
    for (std::size_t i = 0; i < count; ++i) send(data.size() | no_answer, data.data(), data.size());
    send(data.size(), data.data(), data.size());
    confirm();
    return to_seconds(monotonic_now() - start);
  }

 private:
  void send(std::uint64_t head, const void* data, std::size_t bytes) {
    const std::array<kj::ArrayPtr<const kj::byte>, 2> pieces{
        kj::arrayPtr(reinterpret_cast<const kj::byte*>(&head), sizeof head),
        kj::arrayPtr(static_cast<const kj::byte*>(data), bytes)};
    stream_->write(kj::arrayPtr(pieces.data(), pieces.size())).wait(io_.waitScope);
  }
  void confirm() {
    std::uint64_t answer = 0;
    stream_->read(&answer, sizeof answer).wait(io_.waitScope);
  }

  kj::AsyncIoContext io_;
  kj::Own<kj::AsyncIoStream> stream_;
};

struct Served {
  kj::Own<kj::AsyncIoStream> stream;
  std::uint64_t head = 0;
  runtime::Words buffer;

  kj::Promise<void> next() {
    return stream->read(&head, sizeof head)
        .then([this] {
          return stream->read(const_cast<std::uint64_t*>(buffer.data()), head & ~no_answer);
        })
        .then([this]() -> kj::Promise<void> {
          if (head & no_answer) return kj::READY_NOW;
          return stream->write(&head, sizeof head);
        })
        .then([this] { return next(); });
  }
};

}  // namespace

int serve_kj(const std::string& endpoint) {
  auto listener = runtime::Listener::open({endpoint});
  if (!listener) throw std::runtime_error(to_string(listener.error()));
  std::thread([fd = listener->fd()] {
    auto io = kj::setupAsyncIo();
    auto receiver =
        io.lowLevelProvider->wrapListenSocketFd(fd, kj::LowLevelAsyncIoProvider::ALREADY_NONBLOCK);
    const std::size_t words = (std::size_t{64} << 20) / 8;
    Served served{receiver->accept().wait(io.waitScope), 0,
                  runtime::Words::adopt(runtime::acquire_block(words), 0, words)};
    tune(*served.stream);
    // Ends with an exception when the client closes.
    (void)kj::runCatchingExceptions([&] { served.next().wait(io.waitScope); });
  }).detach();
  announce_and_wait(listener->endpoint().text);
  return 0;
}

std::unique_ptr<Client> connect_kj(const std::string& endpoint) {
  return std::make_unique<KjClient>(endpoint.starts_with("tcp:") ? endpoint.substr(4) : endpoint);
}

}  // namespace slime::bench
