#include "runtime/link/acceptor.hpp"

#include <arpa/inet.h>
#include <kj/exception.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <utility>

namespace slime::runtime {

namespace {

// Pause after the system could not accept, for want of descriptors most likely.
constexpr Duration accept_pause = std::chrono::milliseconds(100);

constexpr Duration drain_time = std::chrono::milliseconds(200);
constexpr std::uint64_t drained_bytes_max = 64 << 10;

std::string from_text(kj::AsyncIoStream& stream) {
  sockaddr_storage address{};
  kj::uint length = sizeof address;
  // Throws when the other side has gone already.
  if (kj::runCatchingExceptions(
          [&] { stream.getpeername(reinterpret_cast<sockaddr*>(&address), &length); }) != nullptr)
    return "nobody";
  std::array<char, INET6_ADDRSTRLEN> text{};
  EndpointParts parts;
  if (address.ss_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&address);
    parts.host = ::inet_ntop(AF_INET, &v4->sin_addr, text.data(), text.size());
    parts.port = ntohs(v4->sin_port);
    return make_endpoint(parts).text;
  }
  if (address.ss_family == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&address);
    parts.host = ::inet_ntop(AF_INET6, &v6->sin6_addr, text.data(), text.size());
    parts.port = ntohs(v6->sin6_port);
    return make_endpoint(parts).text;
  }
  return "a process of this host";
}

}  // namespace

Acceptor::Acceptor(std::shared_ptr<LinkContext> context, kj::AsyncIoContext& io,
                   Admission& admission)
    : context_(std::move(context)), io_(io), admission_(admission), tasks_(*this) {}

void Acceptor::serve(const Listener& listener) {
  receivers_.push_back(io_.lowLevelProvider->wrapListenSocketFd(
      listener.fd(), kj::LowLevelAsyncIoProvider::ALREADY_CLOEXEC |
                         kj::LowLevelAsyncIoProvider::ALREADY_NONBLOCK));
  tasks_.add(accept_loop(*receivers_.back()));
}

kj::Promise<void> Acceptor::accept_loop(kj::ConnectionReceiver& receiver) {
  return receiver.accept()
      .then([this](kj::Own<kj::AsyncIoStream> stream) -> kj::Promise<void> {
        if (greeting_ + admission_.connections() >= context_->settings.connections_max) {
          context_->log(LogLevel::warning, "connection from " + from_text(*stream) +
                                               " dropped: there are too many connections");
          return kj::READY_NOW;
        }
        ++greeting_;
        tasks_.add(greet(kj::mv(stream)).attach(kj::defer([this] { --greeting_; })));
        return kj::READY_NOW;
      })
      .catch_([this](kj::Exception&& e) {
        context_->log(LogLevel::error, "accepting a connection: " + text_of(e));
        return io_.provider->getTimer().afterDelay(to_kj(accept_pause));
      })
      .then([this, &receiver] { return accept_loop(receiver); });
}

kj::Promise<void> Acceptor::greet(kj::Own<kj::AsyncIoStream> stream) {
  kj::AsyncIoStream& io = *stream;
  tune(io, context_->settings);
  return read_opening(io, io_.provider->getTimer(), context_->settings)
      .then([this, kept = kj::mv(stream)](Result<Opening> opening) mutable {
        return answer(kj::mv(kept), std::move(opening));
      });
}

kj::Promise<void> Acceptor::answer(kj::Own<kj::AsyncIoStream> stream, Result<Opening> opening) {
  const LinkSettings& settings = context_->settings;
  // To another version only the preamble means something, and it tells ours.
  if (!opening) return refuse(kj::mv(stream), make_bare_preamble(), opening.error());
  const Result<Hello> hello = read_hello(settings, *opening);
  if (!hello)
    return refuse(kj::mv(stream), make_refused(settings, hello.error(), false), hello.error());
  const Result<std::uint64_t> session = admission_.decide(*hello);
  if (!session)
    return refuse(kj::mv(stream), make_refused(settings, session.error(), true), session.error());
  kj::AsyncIoStream& io = *stream;
  if (*session == 0) return write_opening(io, make_duplicate(settings)).attach(kj::mv(stream));
  return write_opening(io, make_accepted(settings, *session))
      .then([this, kept = kj::mv(stream), taken = *hello, number = *session]() mutable {
        admission_.accepted(taken, number, kj::mv(kept));
      });
}

kj::Promise<void> Acceptor::refuse(kj::Own<kj::AsyncIoStream> stream, Words last_words,
                                   const Error& why) {
  context_->log(LogLevel::warning,
                "connection from " + from_text(*stream) + " dropped: " + to_string(why));
  kj::AsyncIoStream& io = *stream;
  // A socket closed with bytes unread is reset, and the other side may lose the answer: what it
  // still sends is thrown away for a moment.
  return write_opening(io, std::move(last_words))
      .then([this, &io] {
        io.shutdownWrite();
        auto drained = io.readAllBytes(drained_bytes_max).ignoreResult();
        return io_.provider->getTimer().timeoutAfter(to_kj(drain_time), kj::mv(drained));
      })
      .catch_([](kj::Exception&&) {})
      .attach(kj::mv(stream));
}

void Acceptor::taskFailed(kj::Exception&& exception) {
  context_->log(LogLevel::warning,
                "a connection failed while it was taken in: " + text_of(exception));
}

}  // namespace slime::runtime
