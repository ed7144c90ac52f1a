#pragma once

#include <kj/async-io.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/link/acceptor.hpp"
#include "runtime/link/connection.hpp"
#include "runtime/link/dialler.hpp"
#include "runtime/link/failure_detector.hpp"
#include "runtime/link/link_context.hpp"
#include "runtime/link/pursuit.hpp"

namespace slime::runtime {

/// The link's thread from inside: which peers are connected, who dials whom, who is dead.
///
/// Two nodes end up with one connection. Of two dials that cross, the one of the node with the
/// lower id stands: that node answers "duplicate" while it dials itself, the other gives its own
/// dial up. A later dial replaces a connection only if it shows that its node lost it: it names the
/// connection as its last one, or it comes from the side that had dialled it.
class Hub final : private Admission, private kj::TaskSet::ErrorHandler {
 public:
  using Connected = std::function<void(Result<PeerIdentity>)>;

  Hub(std::shared_ptr<LinkContext> context, PeerEvents& events, kj::AsyncIoContext& io);
  ~Hub() noexcept override;

  void serve(const Listener& listener) { acceptor_.serve(listener); }
  void connect(const Endpoint& endpoint, Connected done);
  void introduce(const PeerIdentity& peer, std::vector<Endpoint> endpoints);
  void condemn(NodeId node, std::uint64_t incarnation, Death death);
  void peer_ready(const std::shared_ptr<Peer>& peer);
  void judge(const std::shared_ptr<Peer>& peer, Liveness liveness, Duration silent);
  /// To be called every heartbeat interval.
  void beat();
  /// Says goodbye, gives what is queued a moment, then declares every peer dead.
  kj::Promise<void> leave();

 private:
  struct Session {
    std::shared_ptr<Peer> peer;
    kj::Own<Connection> connection;  ///< Null while there is none.
    kj::Own<Pursuit> pursuit;        ///< Null while nobody is dialled.
    bool was_up = false;
    std::uint64_t last_session = 0;
    std::string lost_why;  ///< The last connection's end, for the reason of death.

    std::string troubles() const;
  };

  Result<std::uint64_t> decide(const Hello& hello) override;
  void accepted(const Hello& hello, std::uint64_t session,
                kj::Own<kj::AsyncIoStream> stream) override;
  std::size_t connections() const override { return connections_; }

  Session& session_of(const std::shared_ptr<Peer>& peer);
  Session* find(const Peer* peer);
  void establish(const PeerIdentity& identity, Connection::Facts facts,
                 kj::Own<kj::AsyncIoStream> stream);
  void drop_connection(Session& session, const Error& why);
  void on_lost(const Peer* peer, std::uint64_t number, const Error& why);
  /// Declares a peer dead.
  void die(const std::shared_ptr<Peer>& peer, Death death);
  /// Whatever it died of, and if it left.
  void bury(const std::shared_ptr<Peer>& peer, Death death);
  void replace_older(NodeId node, std::uint64_t incarnation);
  void pursue(Session& session);
  void pursued(const std::shared_ptr<Peer>& peer, Result<Dialled> result);
  bool flushed() const;
  kj::Promise<void> wait_flushed(Instant deadline);
  void taskFailed(kj::Exception&& exception) override;

  const std::shared_ptr<LinkContext> context_;
  PeerEvents& events_;
  kj::AsyncIoContext& io_;
  Dialler dialler_;
  std::uint64_t next_session_;
  std::size_t connections_ = 0;
  std::unordered_map<const Peer*, Session> sessions_;
  std::unordered_map<NodeId, std::vector<Endpoint>> routes_;
  std::unordered_map<NodeId, std::uint64_t> newest_;  ///< Incarnation heard of.
  kj::TaskSet tasks_;
  Acceptor acceptor_;  // Destroyed first: it calls back.
};

}  // namespace slime::runtime
