#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/actor/catalogue.hpp"
#include "runtime/actor/failure.hpp"
#include "runtime/actor/protocol.hpp"
#include "runtime/cluster/mailbox_load.hpp"
#include "runtime/cluster/node_stats.hpp"
#include "runtime/cluster/peer_book.hpp"
#include "runtime/cluster/spawner.hpp"
#include "runtime/link/link_settings.hpp"

namespace slime::runtime {

struct NodeSettings {
  /// An empty `self.node` is drawn at random and a zero `self.incarnation` becomes the wall clock
  /// in microseconds, so that every start of a process is another node. `log` serves the actors
  /// as well.
  LinkSettings link;
  std::size_t scheduler_threads =
      0;                            ///< For actors that do not block; 0: one per core, at least 2.
  MailboxBound mailbox;             ///< Of every actor.
  std::size_t graves_max = 10'000;  ///< How many dead actors are remembered.
  Duration stop_within = std::chrono::seconds(5);
};

/// One process of a cluster: runs actors and carries their messages to those of other nodes.
/// Any thread may call anything here; what blocks says so and must not be called by an actor.
class Node final : public Spawner, public PeerBook {
 public:
  /// @param catalogue  What `spawn` by name can run.
  /// @param events     Called on the link's thread until `stop`; must outlive the node.
  /// Errors: already_exists (an endpoint is taken), io_error, invalid_argument (an endpoint makes
  /// no sense).
  static Result<std::unique_ptr<Node>> start(NodeSettings settings, Catalogue catalogue,
                                             PeerEvents& events);
  ~Node() override;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const PeerIdentity& identity() const;
  /// Where it really listens.
  std::vector<Endpoint> endpoints() const;
  /// Dials a node of which only the endpoint is known. Blocks up to `deadline`.
  Result<PeerIdentity> connect(const Endpoint& endpoint, Duration deadline);

  /// Runs an actor of `type` as number `fixed`, or the next one when it is 0. Errors:
  /// already_exists (the number is taken), internal (its constructor threw), unavailable (stopped).
  Result<ActorAddress> spawn(const ActorType& type, const AnyMessage& spec, std::uint64_t fixed);
  Result<ActorAddress> spawn(std::string_view type, const AnyMessage& spec) override;
  Status kill(const ActorAddress& actor, const Error& reason) override;
  std::vector<ActorRecord> list() const override;
  /// What its actors and its link do. It goes once over the actors and peers, while nobody waits.
  NodeStats stats() const;

  void introduce(NodeId node, std::uint64_t incarnation, const std::string& name,
                 const std::vector<std::string>& endpoints) override;
  void condemn(NodeId node, std::uint64_t incarnation, const Error& reason) override;

  /// Sends without an answer. Errors: overloaded, unavailable (the target is known to be dead).
  Status tell(const ActorAddress& to, const AnyMessage& message);
  /// Asks from outside the actors. Blocks up to `deadline`. Errors: what the actor fails with, why
  /// there is no answer, or corruption (the answer's words are malformed).
  template <class P, class Q>
  Result<Message<typename P::template Answer<Q>>> call(const Ref<P>& to, const Message<Q>& question,
                                                       Duration deadline) {
    static_assert(P::template asks<Q>, "the target does not understand this message as an ask");
    auto answer = call_any(to.address, question.any(), deadline);
    if (!answer) return answer.error();
    if (auto error = failure_of(*answer)) return *error;
    return Message<typename P::template Answer<Q>>::checked(*answer);
  }

  /// Ends every actor, then the link. Blocks up to about `stop_within`, whatever the peers do.
  /// Errors: timeout (names actors that are stuck in a turn; they go on, so the process should
  /// end). A second call does nothing.
  Status stop();

 private:
  class Inside;

  explicit Node(std::unique_ptr<Inside> inside);
  Result<AnyMessage> call_any(const ActorAddress& to, const AnyMessage& message, Duration deadline);

  std::unique_ptr<Inside> inside_;
};

}  // namespace slime::runtime
