#pragma once

#include <kj/async-io.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/link/inbound.hpp"
#include "runtime/link/inbox.hpp"

namespace slime::runtime {

/// One accepted or dialled stream to a peer, after the handshake. Link's thread only; destroying it
/// closes the socket, and must not happen inside its callbacks.
class Connection {
 public:
  struct Facts {
    std::uint64_t session = 0;  ///< Names it; both sides know the number.
    bool dialled_here = false;
    std::size_t credit_bytes = 0;  ///< What we may have in flight.
  };
  struct Callbacks {
    std::function<void(Error)> on_lost;  ///< Once at most; nothing happens after it.
    std::function<void(std::string)> on_goodbye;
  };

  Connection(std::shared_ptr<LinkContext> context, std::shared_ptr<Peer> peer,
             kj::Own<kj::AsyncIoStream> stream, Facts facts, Callbacks callbacks);
  ~Connection();

  const Facts& facts() const { return facts_; }
  /// Attaches the peer's outbox and begins to read and write.
  void start();
  /// There may be something to write.
  void write_more();
  /// Whether everything that may be sent has been handed to the system.
  bool idle() const { return !writing_now_; }

 private:
  kj::Promise<void> read_loop();
  kj::Promise<void> write_loop();
  void lost(Error why);

  const std::shared_ptr<LinkContext> context_;
  const std::shared_ptr<Peer> peer_;
  const Facts facts_;
  const Callbacks callbacks_;
  bool lost_ = false;
  kj::Own<kj::AsyncIoStream> stream_;
  Inbound inbound_;
  Inbox inbox_;
  bool writing_now_ = false;
  std::vector<kj::ArrayPtr<const kj::byte>> pieces_;
  kj::Promise<void> reading_ = nullptr;
  kj::Promise<void> writing_ = nullptr;
};

}  // namespace slime::runtime
