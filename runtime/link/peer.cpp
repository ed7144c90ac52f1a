#include "runtime/link/peer.hpp"

#include <caf/actor_system.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/make_actor.hpp>
#include <caf/node_id.hpp>

#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "runtime/link/caf_error.hpp"
#include "runtime/link/control.hpp"
#include "runtime/link/link_context.hpp"
#include "runtime/link/proxy.hpp"

namespace slime::runtime {

namespace {

caf::node_id caf_node(NodeId node, std::uint64_t incarnation) {
  std::array<std::uint8_t, caf::node_id::default_data::host_id_size> host{};
  std::memcpy(host.data(), &node.high, 8);
  std::memcpy(host.data() + 8, &node.low, 8);
  const auto upper = static_cast<std::uint32_t>(incarnation >> 32);
  std::memcpy(host.data() + 16, &upper, 4);
  return caf::make_node_id(static_cast<std::uint32_t>(incarnation), host);
}

PendingRequests::Key key_of(const MessageHead& head) {
  return {head.sender.number, head.id & caf::message_id::request_id_mask};
}

void kill(const caf::strong_actor_ptr& proxy, caf::error reason) {
  static_cast<Proxy*>(proxy->get())->kill_proxy(nullptr, std::move(reason));
}

}  // namespace

Peer::Peer(std::shared_ptr<LinkContext> context, NodeId node, std::uint64_t incarnation)
    : context_(std::move(context)),
      node_(node),
      incarnation_(incarnation),
      caf_node_(caf_node(node, incarnation)),
      outbox_(*this, context_->settings.peer_queue_bytes_max) {}

std::string Peer::text() const {
  return to_string(identity());
}

PeerIdentity Peer::identity() const {
  const std::lock_guard lock(mutex_);
  return {node_, incarnation_, name_};
}

void Peer::set_name(const std::string& name) {
  const std::lock_guard lock(mutex_);
  name_ = name;
}

LinkTraffic Peer::read_traffic() const {
  const std::uint64_t connections = traffic_.connections.read();
  LinkTraffic traffic;
  traffic.bytes_in = traffic_.bytes_in.read();
  traffic.bytes_out = outbox_.bytes_out();
  traffic.frames_in = traffic_.frames_in.read();
  traffic.frames_out = outbox_.frames_out();
  traffic.messages_in = traffic_.messages_in.read();
  traffic.messages_out = traffic_.messages_out.read();
  traffic.messages_dropped = traffic_.messages_dropped.read();
  traffic.refused_overloaded = traffic_.refused_overloaded.read();
  traffic.reconnections = connections > 1 ? connections - 1 : 0;
  return traffic;
}

std::optional<Death> Peer::death() const {
  const std::lock_guard lock(mutex_);
  return death_;
}

Error Peer::why_lost() const {
  const std::lock_guard lock(mutex_);
  return lost_why_;
}

caf::strong_actor_ptr Peer::proxy(std::uint64_t number) {
  caf::strong_actor_ptr proxy;
  {
    const std::lock_guard lock(mutex_);
    caf::weak_actor_ptr& slot = proxies_[number];
    if (caf::strong_actor_ptr living = slot.lock()) return living;
    caf::actor_config config;
    proxy = caf::make_actor<Proxy, caf::strong_actor_ptr>(number, caf_node_, &context_->system,
                                                          config, shared_from_this(), number);
    slot = caf::weak_actor_ptr(proxy.get());
  }
  if (dead_) kill(proxy, to_caf(why_lost()));
  return proxy;
}

void Peer::forget(std::uint64_t number) {
  // Let go of after the mutex: if it turns out to be the last handle, that forgets it in turn.
  caf::strong_actor_ptr living;
  const std::lock_guard lock(mutex_);
  const auto found = proxies_.find(number);
  if (found == proxies_.end()) return;
  // Another one may have taken its place already.
  living = found->second.lock();
  if (!living) proxies_.erase(found);
}

void Peer::watch(const caf::strong_actor_ptr& proxy) {
  const std::uint64_t number = proxy->id();
  const std::uint64_t generation = outbox_.generation();
  {
    const std::lock_guard lock(mutex_);
    if (death_ || !watches_.try_emplace(number, Watch{proxy, generation}).second) return;
  }
  announce_watch(number, generation);
}

void Peer::announce_watch(std::uint64_t number, std::uint64_t generation) {
  auto item = control_frame(true, [&](schema::LinkControl::Builder out) { out.setWatch(number); });
  item->generation = generation;
  // Refused only when the peer is dead, and lost with its connection; either sees to the watch.
  (void)send_on(std::move(item));
}

Status Peer::send(std::unique_ptr<Outgoing> item) {
  item->generation = outbox_.generation();
  return send_on(std::move(item));
}

Status Peer::send_on(std::unique_ptr<Outgoing> item) {
  if (dead_) return why_lost();
  const std::size_t bytes = item->body.bytes();
  if (bytes > context_->settings.message_bytes_max)
    return Error{Errc::invalid_argument, "the message has " + std::to_string(bytes) +
                                             " bytes, the limit is " +
                                             std::to_string(context_->settings.message_bytes_max)};
  const bool message = item->kind == FrameKind::message;
  Status added = outbox_.add(item);
  if (!added) {
    traffic_.refused_overloaded.add();
    return added;
  }
  if (message) traffic_.messages_out.add();
  if (!context_->brief_turns.keep_for_later(*this)) outbox_.pump();
  return added;
}

void Peer::ask(std::unique_ptr<Outgoing> item, PendingRequests::Asker asker) {
  const PendingRequests::Key key = key_of(item->head);
  // Stamped before the request is noted: if the connection is lost in between, the note and the
  // request share its fate.
  item->generation = asker.generation = outbox_.generation();
  pending_.add(key, std::move(asker));
  const Status sent = send_on(std::move(item));
  if (sent) return;
  if (const auto waiting = pending_.take(key)) fail(*waiting, sent.error());
}

void Peer::fail(const PendingRequests::Asker& asker, const Error& why) const {
  const Error error{why.code, "asking " + to_string(address(asker.target)) + " on " + text() +
                                  ": " + why.context};
  asker.actor->enqueue(nullptr, caf::message_id(asker.id).response_id(),
                       caf::make_message(to_caf(error)), nullptr);
}

void Peer::on_ready() {
  if (ready_posted_.exchange(true)) return;
  context_->doorbell.post([self = shared_from_this()] {
    self->ready_posted_ = false;
    self->context_->peer_ready(self);
  });
}

void Peer::on_discarded(std::unique_ptr<Outgoing> item) {
  if (item->kind != FrameKind::message) return;
  if (caf::message_id(item->head.id).is_request()) {
    if (const auto waiting = pending_.take(key_of(item->head))) fail(*waiting, why_lost());
    return;
  }
  traffic_.messages_dropped.add();
}

void Peer::connected(int fd, std::size_t credit_bytes) {
  traffic_.connections.add();
  std::vector<std::uint64_t> again;
  const std::uint64_t generation = outbox_.generation();
  {
    const std::lock_guard lock(mutex_);
    for (auto& [number, watch] : watches_) {
      if (watch.generation == generation) continue;
      watch.generation = generation;
      again.push_back(number);
    }
  }
  connected_ = true;
  outbox_.attach(fd, credit_bytes);
  for (const std::uint64_t number : again) announce_watch(number, generation);
}

void Peer::disconnected(const Error& why) {
  {
    const std::lock_guard lock(mutex_);
    lost_why_ = why;
  }
  connected_ = false;
  outbox_.detach();
  for (const auto& asker : pending_.take_before(outbox_.generation())) fail(asker, why);
}

void Peer::die(Death death) {
  const Error why{death.code, death.reason};
  std::vector<caf::strong_actor_ptr> proxies;
  std::unordered_map<std::uint64_t, Watch> watches;
  {
    const std::lock_guard lock(mutex_);
    if (death_) return;
    death_ = std::move(death);
    lost_why_ = why;
    dead_ = true;
    for (auto& [number, weak] : proxies_)
      if (auto proxy = weak.lock()) proxies.push_back(std::move(proxy));
    watches.swap(watches_);
  }
  judged = false;
  outbox_.close();
  for (const auto& asker : pending_.take_before(std::numeric_limits<std::uint64_t>::max()))
    fail(asker, why);
  for (const auto& proxy : proxies) kill(proxy, to_caf(why));
}

void Peer::actor_ended(std::uint64_t number, const caf::error& reason) {
  caf::strong_actor_ptr proxy;
  Watch watch;
  {
    const std::lock_guard lock(mutex_);
    if (auto node = watches_.extract(number)) watch = std::move(node.mapped());
    if (auto node = proxies_.extract(number)) proxy = node.mapped().lock();
  }
  if (proxy) kill(proxy, reason);
}

void Peer::watched_by_peer(std::uint64_t number) {
  const caf::strong_actor_ptr actor = context_->locals.find(number);
  if (!actor) {
    const auto& self = context_->settings.self;
    const ActorAddress where{self.node, self.incarnation, number};
    const Error why = context_->locals.why_gone(number);
    return local_actor_ended(number, to_caf({why.code, "watching " + to_string(where) + " on " +
                                                           to_string(self) + ": " + why.context}));
  }
  {
    const std::lock_guard lock(mutex_);
    if (!watched_by_peer_.insert(number).second) return;
  }
  actor->get()->attach_functor([self = weak_from_this(), number](const caf::error& reason) {
    if (const auto peer = self.lock()) peer->local_actor_ended(number, reason);
  });
}

void Peer::local_actor_ended(std::uint64_t number, const caf::error& reason) {
  {
    const std::lock_guard lock(mutex_);
    watched_by_peer_.erase(number);
  }
  auto item = control_frame(false, [&](schema::LinkControl::Builder out) {
    auto down = out.initDown();
    down.setNumber(number);
    write_failure(reason, down.initReason());
  });
  item->head.sender = {{}, 0, number};
  // Refused only when the peer is dead. If the connection is lost, the peer watches again on the
  // next one and is told then.
  (void)send(std::move(item));
}

}  // namespace slime::runtime
