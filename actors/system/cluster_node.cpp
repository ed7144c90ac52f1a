#include "actors/system/cluster_node.hpp"

#include <netdb.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "actors/system/head_return.hpp"
#include "actors/system/head_store.hpp"
#include "actors/system/state_store.hpp"
#include "actors/system/types.hpp"
#include "runtime/cluster/reachable.hpp"
#include "runtime/placement/policies.hpp"
#include "runtime/wire/address.hpp"

namespace slime::actors {

using runtime::Endpoint;
using runtime::LogLevel;
using runtime::Message;
using runtime::Node;
using runtime::PeerIdentity;

namespace {

constexpr Duration call_within = std::chrono::seconds(2);
constexpr Duration goodbye_within = std::chrono::seconds(1);
// As many as the membership remembers.
constexpr std::size_t lost_peers_max = 256;
constexpr Duration pause_min = std::chrono::milliseconds(50);
constexpr Duration pause_max = std::chrono::seconds(1);

bool may_come_yet(const Error& error) {
  return error.code == Errc::unavailable || error.code == Errc::timeout ||
         error.code == Errc::overloaded || error.code == Errc::not_found;
}

/// A name that means nothing now is a typing error rather than a head that is late.
Status check_host(const Endpoint& endpoint) {
  const auto parts = runtime::parse(endpoint);
  if (!parts) return parts.error();
  if (parts->kind != runtime::EndpointParts::Kind::tcp) return ok();
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(parts->host.c_str(), nullptr, nullptr, &found);
  if (failed == 0) {
    ::freeaddrinfo(found);
    return ok();
  }
  return Error{Errc::unavailable, "joining the cluster at " + endpoint.text + ": the host name \"" +
                                      parts->host +
                                      "\" does not resolve: " + ::gai_strerror(failed)};
}

}  // namespace

class ClusterNode::Inside final : public runtime::PeerEvents {
 public:
  explicit Inside(ClusterSettings given) : settings_(std::move(given)) {}
  ~Inside() override {
    if (node_) static_cast<void>(stop());
  }

  /// A head with a store is who it was before.
  static ClusterSettings with_identity(ClusterSettings settings) {
    if (!settings.store) return settings;
    settings.node.link.self.node = settings.store->identity().node;
    settings.node.link.self.incarnation = settings.store->identity().incarnation;
    return settings;
  }

  Status start(runtime::Catalogue catalogue) {
    auto started = Node::start(settings_.node, std::move(catalogue), *this);
    if (!started) return started.error();
    node_ = std::move(*started);
    NodeAgentActor::Node around{*node_, *node_, [this](const Error& why) { end(why); },
                                [this](NodeId node, std::uint64_t incarnation) {
                                  left({node, incarnation, ""});
                                }};
    return spawn(node_agent_type(std::move(around)), node_agent_number);
  }

  Status lead() {
    const runtime::PlacementPolicy* placement = runtime::find_placement_policy(settings_.placement);
    if (!placement)
      return Error{Errc::invalid_argument,
                   "starting a head: no placement policy is called " + settings_.placement};
    adopt_head(node_->identity());
    MembershipActor::Settings membership;
    membership.wall_clock_us = wall_clock_us;
    HeadStore* store = settings_.store;
    if (store) store->on_failure([this](const Error& why) { end(why); });
    membership.keeper = store;
    for (const auto& [type, number] :
         {std::pair(membership_type(membership), membership_number),
          std::pair(directory_type(store), directory_number),
          std::pair(state_store_type(store), state_store_number),
          std::pair(supervisor_type(*placement, store), supervisor_number)})
      if (const Status spawned = spawn(type, number); !spawned) return spawned;
    return enter(call_within);
  }

  Status follow(const Endpoint& endpoint) {
    if (const Status known = check_host(endpoint); !known) return known;
    const Instant deadline = monotonic_now() + settings_.join_within;
    Duration pause = pause_min;
    Status joined = Error{Errc::timeout, "no time was given"};
    for (Instant now = monotonic_now(); now < deadline; now = monotonic_now()) {
      joined = attempt(endpoint, std::min(call_within, deadline - now));
      if (joined) expect_return(endpoint);
      if (joined || !may_come_yet(joined.error())) return joined;
      log(LogLevel::info, "waiting for head at " + endpoint.text + ": " + joined.error().context);
      std::unique_lock lock(mutex_);
      if (wake_.wait_for(lock, pause, [this] { return leaving_.load(); })) break;
      pause = std::min(2 * pause, pause_max);
    }
    return Error{Errc::unavailable, "joining the cluster at " + endpoint.text +
                                        ": no head there in time: " + joined.error().context};
  }

  // The link's thread.

  void peer_up(const PeerIdentity& peer) override { report(peer, false, true, ""); }
  void peer_suspect(const PeerIdentity& peer, Duration silent) override {
    report(peer, false, false,
           "silent for " + std::to_string(silent / std::chrono::milliseconds(1)) + " ms");
  }
  void peer_down(const PeerIdentity& peer, const runtime::Death& death) override {
    if (leaving_) return;
    if (!is_head(peer)) {
      {
        const std::lock_guard lock(mutex_);
        if (lost_peers_.size() == lost_peers_max) lost_peers_.erase(lost_peers_.begin());
        lost_peers_.emplace_back(peer, death.reason);
      }
      return report(peer, true, false, death.reason);
    }
    const Error why{death.code, "the head " + to_string(peer) + " is lost: " + death.reason};
    if (settings_.head_wait <= Duration::zero()) return end(why);
    const std::lock_guard lock(mutex_);
    lost_ = Loss{peer.incarnation, why};
    if (return_) return_->lost(peer.incarnation, why);
  }

  Status leave(const std::string& reason) {
    leaving_ = true;
    const auto goodbye = Message<schema::Leave>::make([&](schema::Leave::Builder root) {
      runtime::write_node(root.initNode(), node_->identity().node);
      root.setIncarnation(node_->identity().incarnation);
      root.setReason(reason);
    });
    // Whatever it answers: the answer may be lost with the connection that the goodbye cuts.
    static_cast<void>(node_->call(membership(), goodbye, goodbye_within));
    return stop();
  }

  Status stop() {
    leaving_ = true;
    wake_.notify_all();
    if (return_) return_->stop();
    return node_->stop();
  }

  Node& node() { return *node_; }
  Membership membership() const { return {head_address(membership_number)}; }
  ActorAddress head_address(std::uint64_t number) const {
    const std::lock_guard lock(mutex_);
    return ActorAddress{head_.node, head_.incarnation, number};
  }

 private:
  /// The end of a process of the head.
  struct Loss {
    std::uint64_t incarnation;
    Error why;
  };

  /// A head that said goodbye is no loss: its cluster is over.
  void left(const PeerIdentity& peer) {
    if (!is_head(peer)) return;
    const std::lock_guard lock(mutex_);
    if (return_) return_->left();
  }

  /// From now on a lost head is waited for.
  void expect_return(const Endpoint& endpoint) {
    if (settings_.head_wait <= Duration::zero()) return;
    auto waiting = std::make_unique<HeadReturn>(
        settings_.head_wait,
        HeadReturn::Steps{[this, endpoint](Duration within) { return rejoin(endpoint, within); },
                          [this](const Error& why) { end(why); },
                          [this](LogLevel level, const std::string& text) { log(level, text); }});
    const std::lock_guard lock(mutex_);
    return_ = std::move(waiting);
    if (lost_) return_->lost(lost_->incarnation, lost_->why);
  }

  /// As `attempt`, with the head that this node knows, in whatever incarnation. Errors: not_found
  /// (another head is there).
  Result<std::uint64_t> rejoin(const Endpoint& endpoint, Duration within) {
    // That nobody listens there, or is ready to answer, may change.
    const auto for_now = [](const Error& why) {
      if (why.code == Errc::not_found) return Error{Errc::unavailable, why.context};
      if (why.code == Errc::refused)
        return Error{why.code, why.context +
                                   "; it is no head of this cluster, or was started "
                                   "without the state that one had"};
      return why;
    };
    const auto peer = node_->connect(endpoint, within);
    if (!peer) return for_now(peer.error());
    {
      const std::lock_guard lock(mutex_);
      if (peer->node != head_.node)
        return Error{Errc::not_found,
                     "another head is there, " + to_string(*peer) +
                         ", which knows nothing of this cluster; only a head with the same "
                         "--state DIR takes it up"};
    }
    adopt_head(*peer);
    if (const Status entered = enter(within); !entered) return for_now(entered.error());
    // What was told of peers while nobody led is not known to this head.
    for (const auto& [lost, why] : lost_peers()) report(lost, true, false, why);
    return peer->incarnation;
  }

  std::vector<std::pair<PeerIdentity, std::string>> lost_peers() {
    const std::lock_guard lock(mutex_);
    return lost_peers_;
  }

  Status spawn(const runtime::ActorType& type, std::uint64_t number) {
    const auto spawned = node_->spawn(type, {}, number);
    if (!spawned) return spawned.error();
    return ok();
  }

  Status attempt(const Endpoint& endpoint, Duration within) {
    const auto peer = node_->connect(endpoint, within);
    if (!peer) return peer.error();
    adopt_head(*peer);
    return enter(within);
  }

  void adopt_head(const PeerIdentity& head) {
    const std::lock_guard lock(mutex_);
    head_ = head;
  }

  bool is_head(const PeerIdentity& peer) {
    const std::lock_guard lock(mutex_);
    return member_ && peer.node == head_.node && peer.incarnation == head_.incarnation;
  }

  /// Asks the membership to be let in and hands the answer to this node's agent.
  Status enter(Duration within) {
    const auto members = node_->call(membership(), request(), within);
    if (!members) return members.error();
    {
      const std::lock_guard lock(mutex_);
      member_ = true;
    }
    const PeerIdentity& self = node_->identity();
    return node_->tell(node_agent_of(self.node, self.incarnation).address, members->any());
  }

  Message<schema::Join> request() const {
    return Message<schema::Join>::make([this](schema::Join::Builder root) {
      const PeerIdentity& self = node_->identity();
      auto member = root.initMember();
      runtime::write_node(member.initNode(), self.node);
      member.setIncarnation(self.incarnation);
      member.setName(self.name);
      auto roles = member.initRoles(static_cast<unsigned>(settings_.roles.size()));
      for (unsigned i = 0; i < roles.size(); ++i) roles.set(i, settings_.roles[i]);
      const auto ways = settings_.advertise.empty() ? runtime::reachable(node_->endpoints())
                                                    : settings_.advertise;
      auto endpoints = member.initEndpoints(static_cast<unsigned>(ways.size()));
      for (unsigned i = 0; i < endpoints.size(); ++i) endpoints.set(i, ways[i].text);
      member.setPid(static_cast<std::uint32_t>(::getpid()));
    });
  }

  void report(const PeerIdentity& peer, bool lost, bool cleared, const std::string& why) {
    {
      // What is wrong with the head's own link cannot be told over it.
      const std::lock_guard lock(mutex_);
      if (!member_ || leaving_ || peer.node == head_.node) return;
    }
    const auto news = Message<schema::Suspect>::make([&](schema::Suspect::Builder root) {
      runtime::write_node(root.initNode(), peer.node);
      root.setIncarnation(peer.incarnation);
      root.setLost(lost);
      root.setReason(why);
      root.setCleared(cleared);
      runtime::write_node(root.initReporter(), node_->identity().node);
    });
    const Status told = node_->tell(membership().address, news.any());
    if (!told) log(LogLevel::warning, "reporting a peer: " + to_string(told.error()));
  }

  void end(const Error& why) {
    if (leaving_ || ended_.exchange(true)) return;
    log(LogLevel::error, "this node ends: " + to_string(why));
    if (settings_.on_end) settings_.on_end(why);
  }

  void log(LogLevel level, const std::string& text) {
    if (settings_.node.link.log) settings_.node.link.log(level, text);
  }

  const ClusterSettings settings_;
  mutable std::mutex mutex_;  // Guards what follows, to `lost_peers_`.
  std::condition_variable wake_;
  PeerIdentity head_;
  std::optional<Loss> lost_;            // The newest.
  std::unique_ptr<HeadReturn> return_;  // Null: no head is waited for.
  bool member_ = false;
  /// For a head that comes back; the newest.
  std::vector<std::pair<PeerIdentity, std::string>> lost_peers_;
  std::atomic<bool> leaving_ = false;
  std::atomic<bool> ended_ = false;
  std::unique_ptr<Node> node_;
};

ClusterNode::ClusterNode(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}

ClusterNode::~ClusterNode() {
  static_cast<void>(inside_->stop());
}

Result<std::unique_ptr<ClusterNode>> ClusterNode::start_head(ClusterSettings settings,
                                                             runtime::Catalogue catalogue) {
  auto inside = std::make_unique<Inside>(Inside::with_identity(std::move(settings)));
  if (const Status started = inside->start(std::move(catalogue)); !started) return started.error();
  if (const Status leads = inside->lead(); !leads) return leads.error();
  return std::unique_ptr<ClusterNode>(new ClusterNode(std::move(inside)));
}

Result<std::unique_ptr<ClusterNode>> ClusterNode::join(ClusterSettings settings,
                                                       const Endpoint& head,
                                                       runtime::Catalogue catalogue) {
  auto inside = std::make_unique<Inside>(std::move(settings));
  if (const Status started = inside->start(std::move(catalogue)); !started) return started.error();
  if (const Status follows = inside->follow(head); !follows) return follows.error();
  return std::unique_ptr<ClusterNode>(new ClusterNode(std::move(inside)));
}

Node& ClusterNode::node() {
  return inside_->node();
}

NodeAgent ClusterNode::agent() const {
  const PeerIdentity& self = inside_->node().identity();
  return node_agent_of(self.node, self.incarnation);
}

Membership ClusterNode::membership() const {
  return inside_->membership();
}
Directory ClusterNode::directory() const {
  return {inside_->head_address(directory_number)};
}
Supervisor ClusterNode::supervisor() const {
  return {inside_->head_address(supervisor_number)};
}

Status ClusterNode::leave(const std::string& reason) {
  return inside_->leave(reason);
}
Status ClusterNode::stop() {
  return inside_->stop();
}

}  // namespace slime::actors
