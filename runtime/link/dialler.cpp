#include "runtime/link/dialler.hpp"

#include <kj/exception.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "runtime/link/opening.hpp"

namespace slime::runtime {

namespace {

std::string kj_address(const Endpoint& endpoint, const EndpointParts& parts) {
  return parts.kind == EndpointParts::Kind::tcp ? endpoint.text.substr(4) : endpoint.text;
}

// Nobody listens there: the system says so for certain, as it does not for a lost packet.
bool nobody_there(const std::string& text) {
  return text.find(std::strerror(ECONNREFUSED)) != text.npos ||
         text.find(std::strerror(ENOENT)) != text.npos;
}

}  // namespace

Dialler::Dialler(std::shared_ptr<LinkContext> context, kj::AsyncIoProvider& io)
    : context_(std::move(context)), io_(io) {}

kj::Promise<Result<Dialled>> Dialler::dial(Endpoint endpoint, std::uint64_t last_session,
                                           bool probe, std::function<void()> on_reached) {
  const Result<EndpointParts> parts = parse(endpoint);
  if (!parts) return Result<Dialled>(parts.error());
  const auto timeout = to_kj(context_->settings.connect_timeout);
  Words hello = make_hello(context_->settings, last_session, probe);
  auto connected = io_.getNetwork()
                       .parseAddress(kj_address(endpoint, *parts))
                       .then([](kj::Own<kj::NetworkAddress> address) {
                         auto connecting = address->connect();
                         return connecting.attach(kj::mv(address));
                       });
  return io_.getTimer()
      .timeoutAfter(timeout, kj::mv(connected))
      .then([this, words = std::move(hello),
             reached = std::move(on_reached)](kj::Own<kj::AsyncIoStream> stream) mutable {
        if (reached) reached();
        return greet(kj::mv(stream), std::move(words));
      })
      .catch_([](kj::Exception&& e) -> Result<Dialled> {
        const std::string text = text_of(e);
        return Error{nobody_there(text) ? Errc::not_found : Errc::unavailable, text};
      })
      .then([text = std::move(endpoint.text)](Result<Dialled> result) -> Result<Dialled> {
        if (result) return result;
        return Error{result.error().code, "dialling " + text + ": " + result.error().context};
      });
}

kj::Promise<Result<Dialled>> Dialler::greet(kj::Own<kj::AsyncIoStream> stream, Words hello) {
  kj::AsyncIoStream& io = *stream;
  tune(io, context_->settings);
  return write_opening(io, std::move(hello))
      .then([this, &io] { return read_opening(io, io_.getTimer(), context_->settings); })
      .then([this, kept = kj::mv(stream)](Result<Opening> opening) mutable -> Result<Dialled> {
        if (!opening) return opening.error();
        Result<Welcome> welcome = read_welcome(context_->settings, *opening);
        if (!welcome) return welcome.error();
        return Dialled{std::move(*welcome), kj::mv(kept)};
      });
}

}  // namespace slime::runtime
