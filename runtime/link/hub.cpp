#include "runtime/link/hub.hpp"

#include <kj/exception.h>

#include <algorithm>
#include <utility>

#include "runtime/base/random.hpp"
#include "runtime/link/control.hpp"
#include "runtime/link/opening.hpp"

namespace slime::runtime {

namespace {

constexpr Duration flush_poll = std::chrono::milliseconds(5);

Death death_of(Errc code, std::string reason) {
  return {code, std::move(reason), wall_clock_us()};
}

std::string seconds_text(Duration duration) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  return std::to_string(ms) + " ms";
}

}  // namespace

Hub::Hub(std::shared_ptr<LinkContext> context, PeerEvents& events, kj::AsyncIoContext& io)
    : context_(std::move(context)),
      events_(events),
      io_(io),
      dialler_(context_, *io.provider),
      // Drawn, so that a number from before a restart names nothing after it.
      next_session_(random_node_id().low),
      tasks_(*this),
      acceptor_(context_, io, *this) {}

Hub::~Hub() noexcept = default;

std::string Hub::Session::troubles() const {
  std::string text;
  if (!lost_why.empty()) text += "; " + lost_why;
  if (pursuit.get() && !pursuit->last_error().empty()) text += "; " + pursuit->last_error();
  return text;
}

void Hub::connect(const Endpoint& endpoint, Connected done) {
  auto dialled = dialler_.dial(endpoint, 0, true);
  tasks_.add(dialled.then([this, done = std::move(done)](Result<Dialled> result) {
    if (!result) return done(result.error());
    const PeerIdentity peer = result->welcome.peer;
    if (peer.node == context_->settings.self.node)
      return done(Error{Errc::invalid_argument, "dialling: that is this node itself"});
    if (const auto death = context_->peers.fenced(peer.node, peer.incarnation))
      return done(Error{Errc::stale, "dialling " + to_string(peer) + ": " + death->reason});
    if (!result->welcome.duplicate)
      establish(peer, {result->welcome.session, true, result->welcome.credit_bytes},
                kj::mv(result->stream));
    done(peer);
  }));
}

void Hub::introduce(const PeerIdentity& peer, std::vector<Endpoint> endpoints) {
  if (peer.node == context_->settings.self.node) return;
  // Within a host a Unix socket is the faster way; elsewhere its path leads nowhere, at once.
  std::stable_partition(endpoints.begin(), endpoints.end(), [](const Endpoint& endpoint) {
    return endpoint.text.starts_with("unix:");
  });
  routes_[peer.node] = std::move(endpoints);
  replace_older(peer.node, peer.incarnation);
  const auto known = context_->peers.at(context_, peer.node, peer.incarnation);
  known->set_name(peer.name);
  Session* session = find(known.get());
  if (session && !session->connection) pursue(*session);
}

void Hub::condemn(NodeId node, std::uint64_t incarnation, Death death) {
  context_->peers.fence(node, incarnation, death);
  for (const auto& peer : context_->peers.all())
    if (peer->node() == node && peer->incarnation() <= incarnation) die(peer, death);
}

void Hub::peer_ready(const std::shared_ptr<Peer>& peer) {
  if (peer->death()) return;
  Session& session = session_of(peer);
  if (session.connection)
    session.connection->write_more();
  else if (!session.pursuit)
    pursue(session);
}

void Hub::judge(const std::shared_ptr<Peer>& peer, Liveness liveness, Duration silent) {
  Session* session = find(peer.get());
  if (!session) return;
  const std::string silence = "nothing was heard from it for " + seconds_text(silent);
  switch (liveness) {
    case Liveness::alive:
      if (!session->peer->suspected.exchange(false) || !session->was_up) return;
      return events_.peer_up(peer->identity());
    case Liveness::suspect:
      session->peer->suspected = true;
      context_->log(LogLevel::warning, peer->text() + " is suspect: " + silence);
      if (session->was_up) events_.peer_suspect(peer->identity(), silent);
      return;
    case Liveness::dead:
      return die(peer, death_of(Errc::unavailable, silence + session->troubles()));
  }
}

void Hub::beat() {
  for (auto& [key, session] : sessions_)
    if (session.connection)
      (void)session.peer->send(
          control_frame(true, [](schema::LinkControl::Builder out) { out.setHeartbeat(); }));
}

kj::Promise<void> Hub::leave() {
  for (auto& [key, session] : sessions_)
    if (session.connection)
      (void)session.peer->send(control_frame(
          true, [](schema::LinkControl::Builder out) { out.setGoodbye("it was stopped"); }));
  return wait_flushed(monotonic_now() + context_->settings.stop_timeout).then([this] {
    const Death death = death_of(Errc::unavailable, "this node's own link has stopped");
    context_->peers.close(death);
    for (const auto& peer : context_->peers.all()) bury(peer, death);
  });
}

bool Hub::flushed() const {
  return std::all_of(sessions_.begin(), sessions_.end(), [](const auto& entry) {
    const Session& session = entry.second;
    return !session.connection ||
           (session.peer->outbox().queued_bytes() == 0 && session.connection->idle());
  });
}

kj::Promise<void> Hub::wait_flushed(Instant deadline) {
  if (flushed() || monotonic_now() >= deadline) return kj::READY_NOW;
  return io_.provider->getTimer().afterDelay(to_kj(flush_poll)).then([this, deadline] {
    return wait_flushed(deadline);
  });
}

Result<std::uint64_t> Hub::decide(const Hello& hello) {
  const PeerIdentity& peer = hello.peer;
  const NodeId self = context_->settings.self.node;
  if (peer.node == self) return Error{Errc::refused, "this is the dialling node itself"};
  if (const auto death = context_->peers.fenced(peer.node, peer.incarnation))
    return Error{Errc::stale, to_string(peer) + " counts as dead: " + death->reason};
  const auto newest = newest_.find(peer.node);
  if (newest != newest_.end() && peer.incarnation < newest->second)
    return Error{Errc::stale, "incarnation " + std::to_string(peer.incarnation) + " of " +
                                  to_string(peer) + " was replaced by " +
                                  std::to_string(newest->second)};
  replace_older(peer.node, peer.incarnation);
  const auto known = context_->peers.find(peer.node, peer.incarnation);
  Session* session = known ? find(known.get()) : nullptr;
  if (!session) return ++next_session_;
  if (!session->connection) {
    // Our own dial will do, unless it never gets there: the peer may be reached by no way but its
    // own. As long as our socket is not connected, the peer cannot have accepted it either.
    const bool both_dial = session->pursuit && session->pursuit->reached();
    if (both_dial && self < peer.node) return std::uint64_t{0};
  } else {
    const Connection::Facts& facts = session->connection->facts();
    const bool lost_there = hello.last_session == facts.session;
    const bool given_up_there = !facts.dialled_here && !hello.probe;
    if (!lost_there && !given_up_there) return std::uint64_t{0};
    // The old one is closed before the new one is used.
    drop_connection(*session, {Errc::unavailable,
                               "the connection was lost: the other side "
                               "opened another"});
  }
  session->pursuit = nullptr;
  return ++next_session_;
}

void Hub::accepted(const Hello& hello, std::uint64_t session, kj::Own<kj::AsyncIoStream> stream) {
  establish(hello.peer, {session, false, hello.credit_bytes}, kj::mv(stream));
}

Hub::Session& Hub::session_of(const std::shared_ptr<Peer>& peer) {
  auto [found, added] = sessions_.try_emplace(peer.get());
  if (added) found->second.peer = peer;
  return found->second;
}

Hub::Session* Hub::find(const Peer* peer) {
  const auto found = sessions_.find(peer);
  return found == sessions_.end() ? nullptr : &found->second;
}

void Hub::establish(const PeerIdentity& identity, Connection::Facts facts,
                    kj::Own<kj::AsyncIoStream> stream) {
  replace_older(identity.node, identity.incarnation);
  const auto peer = context_->peers.at(context_, identity.node, identity.incarnation);
  if (peer->death()) return;
  peer->set_name(identity.name);
  Session& session = session_of(peer);
  drop_connection(session, {Errc::unavailable, "the connection was replaced by another"});
  session.last_session = facts.session;
  session.pursuit = nullptr;
  session.lost_why.clear();
  peer->heard(monotonic_now());
  peer->suspected = false;
  peer->judged = true;
  const Peer* key = peer.get();
  const std::uint64_t number = facts.session;
  // Both come out of the connection's own callbacks, in which it cannot be destroyed.
  Connection::Callbacks callbacks{
      [this, key, number](Error why) {
        tasks_.add(kj::evalLater([this, key, number, why] { on_lost(key, number, why); }));
      },
      [this, weak = std::weak_ptr(peer)](std::string why) {
        tasks_.add(kj::evalLater([this, weak, why] {
          const auto left = weak.lock();
          if (!left || left->death()) return;
          context_->peers_left.add();
          context_->log(LogLevel::info, left->text() + " left: " + why);
          bury(left, death_of(Errc::unavailable, "it left: " + why));
        }));
      }};
  ++connections_;
  session.connection =
      kj::heap<Connection>(context_, peer, kj::mv(stream), facts, std::move(callbacks));
  session.connection->start();
  context_->log(LogLevel::info, "connected with " + peer->text());
  if (!std::exchange(session.was_up, true)) events_.peer_up(peer->identity());
}

void Hub::drop_connection(Session& session, const Error& why) {
  if (!session.connection) return;
  const auto connection = kj::mv(session.connection);
  --connections_;
  // Before the socket is closed: until then other threads may write to it.
  session.peer->disconnected(why);
}

void Hub::on_lost(const Peer* peer, std::uint64_t number, const Error& why) {
  Session* session = find(peer);
  if (!session || !session->connection || session->connection->facts().session != number) return;
  context_->log(LogLevel::warning, session->peer->text() + ": " + to_string(why));
  session->lost_why = why.context;
  drop_connection(*session, why);
  pursue(*session);
}

void Hub::die(const std::shared_ptr<Peer>& peer, Death death) {
  if (peer->death()) return;
  context_->peers_dead.add();
  context_->log(LogLevel::warning, peer->text() + " is dead: " + death.reason);
  bury(peer, std::move(death));
}

void Hub::bury(const std::shared_ptr<Peer>& peer, Death death) {
  if (peer->death()) return;
  const auto found = sessions_.find(peer.get());
  if (found != sessions_.end()) {
    drop_connection(found->second, {death.code, death.reason});
    sessions_.erase(found);
  }
  peer->die(death);
  // Last, so that what its death has dropped is counted, too.
  context_->peers.remove(*peer);
  events_.peer_down(peer->identity(), death);
}

void Hub::replace_older(NodeId node, std::uint64_t incarnation) {
  std::uint64_t& newest = newest_[node];
  newest = std::max(newest, incarnation);
  for (const auto& peer : context_->peers.all())
    if (peer->node() == node && peer->incarnation() < newest)
      die(peer, death_of(Errc::unavailable,
                         "it was replaced by its incarnation " + std::to_string(newest)));
}

void Hub::pursue(Session& session) {
  // The detector bounds how long it may take.
  if (!session.peer->judged.exchange(true)) session.peer->heard(monotonic_now());
  const auto route = routes_.find(session.peer->node());
  // Nothing to dial yet: an introduction may follow, or the other side may dial.
  if (route == routes_.end() || route->second.empty()) return;
  const std::weak_ptr<Peer> weak = session.peer;
  session.pursuit =
      kj::heap<Pursuit>(dialler_, io_.provider->getTimer(), context_->settings,
                        Pursuit::Aim{route->second, session.last_session, session.was_up},
                        [this, weak](Result<Dialled> result) {
                          auto kept = kj::heap<Result<Dialled>>(std::move(result));
                          tasks_.add(kj::evalLater([this, weak, kept = kj::mv(kept)]() mutable {
                            if (const auto peer = weak.lock()) pursued(peer, std::move(*kept));
                          }));
                        });
}

void Hub::pursued(const std::shared_ptr<Peer>& peer, Result<Dialled> result) {
  Session* session = find(peer.get());
  if (!session || !session->pursuit) return;
  session->pursuit = nullptr;
  if (!result) return die(peer, death_of(result.error().code, result.error().context));
  const PeerIdentity& found = result->welcome.peer;
  if (found.node != peer->node() || found.incarnation < peer->incarnation())
    return die(peer, death_of(Errc::unavailable, "where it was, " + to_string(found) +
                                                     " answers, incarnation " +
                                                     std::to_string(found.incarnation)));
  // If it is a newer incarnation, the peer dies of it.
  establish(found, {result->welcome.session, true, result->welcome.credit_bytes},
            kj::mv(result->stream));
}

void Hub::taskFailed(kj::Exception&& exception) {
  context_->log(LogLevel::error, "in the link: " + text_of(exception));
}

}  // namespace slime::runtime
