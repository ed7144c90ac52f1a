#include "runtime/link/connection.hpp"

#include <kj/exception.h>

#include <utility>

namespace slime::runtime {

namespace {

Error lost_error(const kj::Exception& e) {
  return {Errc::unavailable, std::string("the connection was lost: ") + e.getDescription().cStr()};
}

}  // namespace

Connection::Connection(std::shared_ptr<LinkContext> context, std::shared_ptr<Peer> peer,
                       kj::Own<kj::AsyncIoStream> stream, Facts facts, Callbacks callbacks)
    : context_(std::move(context)),
      peer_(std::move(peer)),
      facts_(facts),
      callbacks_(std::move(callbacks)),
      stream_(kj::mv(stream)),
      inbound_(context_, peer_, callbacks_.on_goodbye),
      inbox_(context_->settings.message_bytes_max) {}

Connection::~Connection() = default;

void Connection::start() {
  int fd = -1;
  KJ_IF_MAYBE (socket, stream_->getFd()) {
    fd = *socket;
  }
  peer_->connected(fd, facts_.credit_bytes);
  reading_ = kj::evalNow([this] { return read_loop(); }).eagerlyEvaluate([this](kj::Exception&& e) {
    lost(lost_error(e));
  });
  write_more();
}

kj::Promise<void> Connection::read_loop() {
  const auto space = inbox_.space();
  // One byte is enough to go on: whatever arrives shows that the peer lives.
  return stream_->tryRead(space.data(), 1, space.size())
      .then([this](std::size_t count) -> kj::Promise<void> {
        if (count == 0) {
          lost({Errc::unavailable, "the connection was closed by the other side"});
          return kj::READY_NOW;
        }
        peer_->heard(monotonic_now());
        peer_->traffic().bytes_in.add(count);
        const Status taken = inbox_.received(count, inbound_);
        peer_->traffic().frames_in.add(inbox_.take_frame_count());
        context_->brief_turns.run();
        if (!taken) {
          lost(taken.error());
          return kj::READY_NOW;
        }
        if (lost_) return kj::READY_NOW;
        return read_loop();
      });
}

void Connection::write_more() {
  if (writing_now_ || lost_) return;
  writing_now_ = true;
  // The first write happens at once and throws when the other side is gone: into the promise, for
  // whoever rings the link's bell is not to die of it.
  writing_ = kj::evalNow([this] {
               return write_loop();
             }).eagerlyEvaluate([this](kj::Exception&& e) { lost(lost_error(e)); });
}

kj::Promise<void> Connection::write_loop() {
  pieces_.clear();
  for (const iovec& piece : peer_->outbox().begin_write())
    pieces_.push_back(kj::arrayPtr(static_cast<const kj::byte*>(piece.iov_base), piece.iov_len));
  if (pieces_.empty()) {
    writing_now_ = false;
    return kj::READY_NOW;
  }
  return stream_->write(kj::arrayPtr(pieces_.data(), pieces_.size()))
      .then([this]() -> kj::Promise<void> {
        peer_->outbox().end_write();
        return write_loop();
      });
}

void Connection::lost(Error why) {
  if (std::exchange(lost_, true)) return;
  callbacks_.on_lost(std::move(why));
}

}  // namespace slime::runtime
