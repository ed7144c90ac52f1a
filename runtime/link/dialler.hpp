#pragma once

#include <kj/async-io.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "runtime/base/error.hpp"
#include "runtime/link/endpoint.hpp"
#include "runtime/link/handshake.hpp"
#include "runtime/link/link_context.hpp"

namespace slime::runtime {

/// A stream on which both sides have agreed, or `duplicate` and no stream.
struct Dialled {
  Welcome welcome;
  kj::Own<kj::AsyncIoStream> stream;
};

/// Opens connections to other nodes. Link's thread only.
class Dialler {
 public:
  Dialler(std::shared_ptr<LinkContext> context, kj::AsyncIoProvider& io);

  /// Connects and shakes hands. Errors: unavailable (not_found when nobody is there), timeout,
  /// refused, stale, corruption, invalid_argument.
  /// @param on_reached  Called when the socket is connected, before the handshake; may be empty.
  kj::Promise<Result<Dialled>> dial(Endpoint endpoint, std::uint64_t last_session, bool probe,
                                    std::function<void()> on_reached = {});

 private:
  kj::Promise<Result<Dialled>> greet(kj::Own<kj::AsyncIoStream> stream, Words hello);

  const std::shared_ptr<LinkContext> context_;
  kj::AsyncIoProvider& io_;
};

}  // namespace slime::runtime
