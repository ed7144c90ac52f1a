#include "runtime/cluster/node.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "runtime/base/random.hpp"
#include "runtime/cluster/actor_table.hpp"
#include "runtime/cluster/host_actor.hpp"
#include "runtime/link/caf_error.hpp"
#include "runtime/link/caf_message.hpp"
#include "runtime/link/link.hpp"

namespace slime::runtime {

namespace {

struct SystemConfig : caf::actor_system_config {
  explicit SystemConfig(std::size_t threads) {
    // Work stealing sleeps up to 10 ms before it looks for work, which every remote call pays;
    // sharing wakes at once and idles at 0.01 % of a core.
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", threads);
    set("logger.verbosity", caf::atom("quiet"));
  }
};

PeerIdentity complete(PeerIdentity self) {
  if (!self.node) self.node = random_node_id();
  if (self.incarnation == 0) self.incarnation = static_cast<std::uint64_t>(wall_clock_us());
  return self;
}

}  // namespace

/// Everything that knows CAF.
class Node::Inside final : public Router, public LocalActors {
 public:
  Inside(NodeSettings given, Catalogue types)
      : settings(std::move(given)),
        catalogue(std::move(types)),
        table(settings.link.self.node, settings.link.self.incarnation, settings.graves_max),
        config(threads()),
        system(config) {}

  Route route(const ActorAddress& to) override {
    const PeerIdentity& self = settings.link.self;
    if (!to) return dead(Errc::invalid_argument, "sending to no address");
    // A proxy of what is known to be dead answers with why.
    if (to.node != self.node) return Route{link->proxy(to), nullptr, {}};
    if (to.incarnation != self.incarnation)
      return dead(Errc::stale, "actor " + to_string(to) + " is of another incarnation of its node");
    auto [actor, load] = table.find(to.number);
    if (!actor) return Route{nullptr, nullptr, table.why_dead(to.number)};
    return Route{std::move(actor), load, {}};
  }

  ActorAddress address_of(const caf::strong_actor_ptr& actor) override {
    if (!actor) return {};
    if (const auto hosted = hosted_address(actor)) return *hosted;
    if (const ActorAddress remote = remote_address(actor)) return remote;
    return table.admit_guest(actor);
  }

  caf::strong_actor_ptr find(std::uint64_t number) override { return table.find(number).actor; }
  Error why_gone(std::uint64_t number) override { return table.why_dead(number); }

  void publish(const ActorAddress& address, const caf::strong_actor_ptr& actor,
               const MailboxLoad& load) override {
    table.publish(address.number, {actor, &load});
  }

  std::optional<Error> last_words(const ActorAddress& actor) override {
    return table.last_words(actor.number);
  }

  void ended(const ActorAddress& actor, const std::optional<Error>& reason) override {
    if (reason) log(actor, LogLevel::warning, "ended: " + to_string(*reason));
    bury(actor, reason);
    // Counted when it is no longer among the living: nobody finds it in both.
    if (reason) counts.failed.add();
    counts.ended.add();
  }

  void bury(const ActorAddress& actor, const std::optional<Error>& reason) {
    table.bury(actor.number, reason, wall_clock_us());
    // Under the mutex, so that whoever waits cannot miss it.
    const std::lock_guard lock(ended_mutex_);
    some_ended_.notify_all();
  }

  void log(const ActorAddress& actor, LogLevel level, std::string_view text) override {
    if (settings.link.log)
      settings.link.log(level, "actor " + to_string(actor) + ": " + std::string(text));
  }

  ActorTallies& tallies() override { return counts; }

  Status stop() {
    const std::lock_guard lock(stop_mutex_);
    if (!stopped_) stopped_ = end_everything();
    return *stopped_;
  }

  std::size_t threads() const {
    if (settings.scheduler_threads != 0) return settings.scheduler_threads;
    return std::max<std::size_t>(2, std::thread::hardware_concurrency());
  }

  const NodeSettings settings;
  const Catalogue catalogue;
  ActorTable table;
  ActorTallies counts;
  SystemConfig config;
  caf::actor_system system;
  std::unique_ptr<Link> link;
  std::atomic<bool> stopping = false;

 private:
  Status end_everything() {
    stopping = true;
    for (const ActorAddress& address : table.living())
      if (const auto found = table.find(address.number); found.actor)
        end_hosted(found.actor, std::nullopt);
    std::unique_lock lock(ended_mutex_);
    const auto all_ended = [this] { return table.living().empty(); };
    const bool ended = some_ended_.wait_for(lock, settings.stop_within, all_ended);
    lock.unlock();
    // Last, so that what the actors said in the end is still sent.
    link->stop();
    if (ended) return ok();
    std::string names;
    for (const ActorAddress& address : table.living()) names += " " + to_string(address);
    system.await_actors_before_shutdown(false);
    return Error{Errc::timeout, "stopping the node: still in a turn:" + names};
  }

  static Route dead(Errc code, std::string why) {
    return Route{nullptr, nullptr, Error{code, std::move(why)}};
  }

  std::mutex ended_mutex_;
  std::condition_variable some_ended_;
  std::mutex stop_mutex_;
  std::optional<Status> stopped_;
};

Node::Node(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}

Node::~Node() {
  // Destroying the actor system would wait for stuck actors for ever.
  if (!stop()) static_cast<void>(inside_.release());
}

Result<std::unique_ptr<Node>> Node::start(NodeSettings settings, Catalogue catalogue,
                                          PeerEvents& events) {
  settings.link.self = complete(std::move(settings.link.self));
  auto inside = std::make_unique<Inside>(std::move(settings), std::move(catalogue));
  auto link = Link::start(inside->settings.link, inside->system, *inside, events);
  if (!link) return link.error();
  inside->link = std::move(*link);
  return std::unique_ptr<Node>(new Node(std::move(inside)));
}

const PeerIdentity& Node::identity() const {
  return inside_->settings.link.self;
}

std::vector<Endpoint> Node::endpoints() const {
  return inside_->link->endpoints();
}

Result<PeerIdentity> Node::connect(const Endpoint& endpoint, Duration deadline) {
  return inside_->link->connect(endpoint, deadline);
}

Result<ActorAddress> Node::spawn(const ActorType& type, const AnyMessage& spec,
                                 std::uint64_t fixed) {
  const std::string what = "spawning a " + std::string(type.name) + ": ";
  if (inside_->stopping) return Error{Errc::unavailable, what + "the node is stopping"};
  const auto address = inside_->table.reserve(fixed, type.name);
  if (!address) return address.error();
  const Status spawned =
      spawn_hosted(inside_->system, *inside_, *address, type, spec, inside_->settings.mailbox);
  if (!spawned) {
    const Error error{spawned.error().code, what + spawned.error().context};
    inside_->bury(*address, error);
    return error;
  }
  // Its constructor ran while the others were ended. If this comes too early to see that, they are
  // not ended yet, and it is one of them.
  if (inside_->stopping) {
    if (const auto found = inside_->table.find(address->number); found.actor)
      end_hosted(found.actor, std::nullopt);
    return Error{Errc::unavailable, what + "the node is stopping"};
  }
  return *address;
}

Result<ActorAddress> Node::spawn(std::string_view type, const AnyMessage& spec) {
  for (const ActorType& known : inside_->catalogue)
    if (known.name == type) return spawn(known, spec, 0);
  return Error{Errc::invalid_argument, "spawning a " + std::string(type) + " on " +
                                           to_string(identity()) + ": no such actor type there"};
}

Status Node::kill(const ActorAddress& actor, const Error& reason) {
  const Route route = inside_->route(actor);
  if (!route.load)
    return Error{Errc::not_found, "ending actor " + to_string(actor) + ": " +
                                      (route.actor ? "not of this node" : route.dead.context)};
  end_hosted(route.actor, reason);
  return ok();
}

std::vector<ActorRecord> Node::list() const {
  return inside_->table.list();
}

NodeStats Node::stats() const {
  const ActorTallies& counts = inside_->counts;
  NodeStats stats;
  inside_->table.measure(stats);
  stats.actors_ended = counts.ended.read();
  stats.actors_failed = counts.failed.read();
  stats.messages_handled = counts.messages_handled.read();
  stats.messages_refused = counts.messages_refused.read();
  stats.asks_made = counts.asks_made.read();
  stats.asks_expired = counts.asks_expired.read();
  stats.asks_outstanding = counts.asks_outstanding.read();
  stats.link = inside_->link->totals();
  return stats;
}

void Node::introduce(NodeId node, std::uint64_t incarnation, const std::string& name,
                     const std::vector<std::string>& endpoints) {
  std::vector<Endpoint> ways;
  for (const std::string& endpoint : endpoints) ways.push_back(Endpoint{endpoint});
  inside_->link->introduce(PeerIdentity{node, incarnation, name}, std::move(ways));
}

void Node::condemn(NodeId node, std::uint64_t incarnation, const Error& reason) {
  inside_->link->condemn(node, incarnation, Death{reason.code, reason.context, wall_clock_us()});
}

Status Node::tell(const ActorAddress& to, const AnyMessage& message) {
  const Route route = inside_->route(to);
  if (!route.actor) return route.dead;
  if (route.load && route.load->full()) {
    inside_->counts.messages_refused.add();
    return Error{Errc::overloaded, "telling " + to_string(to) + ": its mailbox is full"};
  }
  return runtime::tell(route.actor, nullptr, message);
}

Result<AnyMessage> Node::call_any(const ActorAddress& to, const AnyMessage& message,
                                  Duration deadline) {
  const std::string what = "asking " + to_string(to) + ": ";
  if (inside_->stopping) return Error{Errc::unavailable, what + "the node is stopping"};
  const Route route = inside_->route(to);
  if (!route.actor) return route.dead;
  Result<AnyMessage> result = Error{Errc::internal, what + "no answer"};
  ActorTallies& counts = inside_->counts;
  counts.asks_made.add();
  counts.asks_outstanding.add();
  caf::scoped_actor self(inside_->system);
  self->request(caf::actor_cast<caf::actor>(route.actor), deadline, message)
      .receive([&](const AnyMessage& answer) { result = answer; },
               [&](caf::error& error) {
                 const Error reason = from_caf(error);
                 if (reason.code == Errc::timeout) counts.asks_expired.add();
                 result = Error{reason.code, what + reason.context};
               });
  counts.asks_outstanding.remove();
  return result;
}

Status Node::stop() {
  return inside_->stop();
}

}  // namespace slime::runtime
