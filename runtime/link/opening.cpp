#include "runtime/link/opening.hpp"

#include <kj/exception.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <memory>
#include <string>
#include <utility>

#include "runtime/link/frame.hpp"
#include "runtime/link/handshake.hpp"

namespace slime::runtime {

namespace {

constexpr std::size_t unix_buffer_bytes = std::size_t{1} << 20;

struct Reading {
  Preamble preamble;
  Opening words;
};

Error closed() {
  return {Errc::unavailable, "the other side closed the connection during the handshake"};
}

kj::Promise<Result<Opening>> read_body(kj::AsyncIoStream& stream, Reading& reading) {
  reading.words.resize(reading.preamble.words);
  const std::size_t bytes = reading.words.size() * 8;
  return stream.tryRead(reading.words.data(), bytes, bytes)
      .then([&reading, bytes](std::size_t count) -> Result<Opening> {
        if (count < bytes) return closed();
        return std::move(reading.words);
      });
}

}  // namespace

kj::Promise<Result<Opening>> read_opening(kj::AsyncIoStream& stream, kj::Timer& timer,
                                          const LinkSettings& settings) {
  auto reading = kj::heap<Reading>();
  Reading& state = *reading;
  auto whole = stream.tryRead(&state.preamble, sizeof state.preamble, sizeof state.preamble)
                   .then([&stream, &state](std::size_t count) -> kj::Promise<Result<Opening>> {
                     if (count < sizeof state.preamble) return Result<Opening>(closed());
                     if (const Status valid = check_preamble(state.preamble); !valid)
                       return Result<Opening>(valid.error());
                     return read_body(stream, state);
                   });
  auto timeout = timer.afterDelay(to_kj(settings.handshake_timeout))
                     .then([seconds = to_seconds(settings.handshake_timeout)] {
                       return Result<Opening>(Error{
                           Errc::timeout, "no handshake within " + std::to_string(seconds) + " s"});
                     });
  return whole.exclusiveJoin(kj::mv(timeout))
      .catch_([](kj::Exception&& e) -> Result<Opening> {
        return Error{Errc::unavailable, "during the handshake: " + text_of(e)};
      })
      .attach(kj::mv(reading));
}

kj::Promise<void> write_opening(kj::AsyncIoStream& stream, Words words) {
  auto kept = kj::heap<Words>(std::move(words));
  return kj::evalNow([&] { return stream.write(kept->data(), kept->bytes()); })
      .catch_([](kj::Exception&&) {})
      .attach(kj::mv(kept));
}

void tune(kj::AsyncIoStream& stream, const LinkSettings& settings) {
  KJ_IF_MAYBE (fd, stream.getFd()) {
    // TCP's buffers grow by themselves, and these two fail on a Unix socket; that one starts with
    // room for a fifth of a chunk, and each filling costs two wake-ups. The system has its maximum.
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    ::getsockname(*fd, reinterpret_cast<sockaddr*>(&address), &length);
    if (address.ss_family == AF_UNIX) {
      const int bytes = static_cast<int>(unix_buffer_bytes);
      ::setsockopt(*fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
      return;
    }
    const int one = 1;
    ::setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    const std::string& control = settings.tcp_congestion;
    if (!control.empty())
      ::setsockopt(*fd, IPPROTO_TCP, TCP_CONGESTION, control.data(),
                   static_cast<socklen_t>(control.size()));
  }
}

kj::Duration to_kj(Duration duration) {
  return duration.count() * kj::NANOSECONDS;
}

std::string text_of(const kj::Exception& exception) {
  return exception.getDescription().cStr();
}

}  // namespace slime::runtime
