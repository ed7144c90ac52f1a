#include "runtime/link/link.hpp"

#include <kj/async-unix.h>
#include <kj/exception.h>

#include <atomic>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "runtime/link/caf_message.hpp"
#include "runtime/link/failure_detector.hpp"
#include "runtime/link/hub.hpp"
#include "runtime/link/listener.hpp"
#include "runtime/link/opening.hpp"
#include "runtime/link/proxy.hpp"

namespace slime::runtime {

struct Link::Impl {
  Impl(LinkSettings settings, caf::actor_system& system, LocalActors& actors, PeerEvents& events_in)
      : context(std::make_shared<LinkContext>(std::move(settings), system, actors)),
        events(events_in) {}

  void run(std::promise<void>& started);
  void run_posted();
  kj::Promise<void> work_loop(kj::UnixEventPort::FdObserver& bell);
  kj::Promise<void> beat_loop(kj::Timer& timer);
  void post(std::function<void(Hub&)> work) {
    context->doorbell.post([this, work = std::move(work)] {
      if (hub) work(*hub);
    });
  }

  const std::shared_ptr<LinkContext> context;
  PeerEvents& events;
  std::vector<Listener> listeners;
  std::atomic<std::int64_t> alive{0};  // When the link's thread last came round.
  std::once_flag stopped;
  std::thread thread;
  std::unique_ptr<FailureDetector> detector;

  // The link's thread only.
  Hub* hub = nullptr;
  kj::Own<kj::PromiseFulfiller<void>> leave;
};

void Link::Impl::run(std::promise<void>& started) {
  auto io = kj::setupAsyncIo();
  kj::UnixEventPort::FdObserver bell(io.unixEventPort, context->doorbell.fd(),
                                     kj::UnixEventPort::FdObserver::OBSERVE_READ);
  {
    Hub here(context, events, io);
    hub = &here;
    for (const Listener& listener : listeners) here.serve(listener);
    auto leaving = kj::newPromiseAndFulfiller<void>();
    leave = kj::mv(leaving.fulfiller);
    auto& timer = io.provider->getTimer();
    const auto fail = [this](kj::Exception&& e) {
      context->log(LogLevel::error, "the link's thread: " + text_of(e));
    };
    auto working = work_loop(bell).eagerlyEvaluate(fail);
    auto beating = beat_loop(timer).eagerlyEvaluate(fail);
    started.set_value();
    leaving.promise.wait(io.waitScope);
    here.leave().wait(io.waitScope);
    hub = nullptr;
  }
  leave = nullptr;
  // What was posted meanwhile would keep its peers alive for ever.
  run_posted();
}

void Link::Impl::run_posted() {
  context->doorbell.run_posted([this](const char* what) {
    context->log(LogLevel::error, std::string("the link's thread: ") + what);
  });
}

kj::Promise<void> Link::Impl::work_loop(kj::UnixEventPort::FdObserver& bell) {
  auto rung = bell.whenBecomesReadable();
  run_posted();
  return rung.then([this, &bell] { return work_loop(bell); });
}

kj::Promise<void> Link::Impl::beat_loop(kj::Timer& timer) {
  alive = monotonic_now().time_since_epoch().count();
  hub->beat();
  return timer.afterDelay(to_kj(context->settings.heartbeat)).then([this, &timer] {
    return beat_loop(timer);
  });
}

Result<std::unique_ptr<Link>> Link::start(LinkSettings settings, caf::actor_system& system,
                                          LocalActors& actors, PeerEvents& events) {
  if (!settings.self.node || settings.self.incarnation == 0)
    return Error{Errc::invalid_argument, "starting the link: the node has no identity"};
  auto impl = std::make_unique<Impl>(std::move(settings), system, actors, events);
  Impl& in = *impl;
  for (const Endpoint& endpoint : in.context->settings.listen) {
    Result<Listener> listener = Listener::open(endpoint);
    if (!listener) return listener.error();
    in.listeners.push_back(std::move(*listener));
  }
  in.context->peer_ready = [&in](const std::shared_ptr<Peer>& peer) {
    if (in.hub) in.hub->peer_ready(peer);
  };
  std::promise<void> started;
  in.thread = std::thread([&in, &started] { in.run(started); });
  started.get_future().wait();
  in.detector = std::make_unique<FailureDetector>(
      in.context, [&in] { return Instant(Duration(in.alive.load())); },
      [&in](std::shared_ptr<Peer> peer, Liveness liveness, Duration silent) {
        in.post([peer = std::move(peer), liveness, silent](Hub& hub) {
          hub.judge(peer, liveness, silent);
        });
      });
  return std::unique_ptr<Link>(new Link(std::move(impl)));
}

Link::Link(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Link::~Link() {
  stop();
}

void Link::stop() {
  std::call_once(impl_->stopped, [this] {
    impl_->detector.reset();
    impl_->context->doorbell.post([in = impl_.get()] { in->leave->fulfill(); });
    impl_->thread.join();
    impl_->listeners.clear();
  });
}

std::vector<Endpoint> Link::endpoints() const {
  std::vector<Endpoint> bound;
  for (const Listener& listener : impl_->listeners) bound.push_back(listener.endpoint());
  return bound;
}

Result<PeerIdentity> Link::connect(const Endpoint& endpoint, Duration timeout) {
  if (const auto parts = parse(endpoint); !parts) return parts.error();
  // Shared: the answer may come after the caller has given up.
  auto answer = std::make_shared<std::promise<Result<PeerIdentity>>>();
  auto future = answer->get_future();
  impl_->post([endpoint, answer](Hub& hub) {
    hub.connect(endpoint, [answer](Result<PeerIdentity> peer) { answer->set_value(peer); });
  });
  answer.reset();
  if (future.wait_for(timeout) != std::future_status::ready)
    return Error{Errc::timeout, "dialling " + endpoint.text + ": no answer within " +
                                    std::to_string(to_seconds(timeout)) + " s"};
  try {
    return future.get();
  } catch (const std::future_error&) {
    return Error{Errc::unavailable, "dialling " + endpoint.text + ": this link has stopped"};
  }
}

void Link::introduce(const PeerIdentity& peer, std::vector<Endpoint> endpoints) {
  impl_->post(
      [peer, endpoints = std::move(endpoints)](Hub& hub) { hub.introduce(peer, endpoints); });
}

void Link::condemn(NodeId node, std::uint64_t incarnation, Death death) {
  impl_->post([node, incarnation, death = std::move(death)](Hub& hub) {
    hub.condemn(node, incarnation, death);
  });
}

caf::strong_actor_ptr Link::proxy(const ActorAddress& address) {
  return actor_at(impl_->context, address);
}

std::vector<PeerStats> Link::stats() const {
  std::vector<PeerStats> all;
  for (const auto& peer : impl_->context->peers.all()) {
    const LinkTraffic traffic = peer->read_traffic();
    PeerStats stats;
    stats.peer = peer->identity();
    stats.connected = peer->is_connected();
    stats.suspected = peer->suspected;
    stats.bytes_in = traffic.bytes_in;
    stats.messages_in = traffic.messages_in;
    stats.messages_out = traffic.messages_out;
    stats.messages_dropped = traffic.messages_dropped;
    stats.refused_overloaded = traffic.refused_overloaded;
    stats.connections = peer->connections();
    stats.queued_bytes = peer->outbox().queued_bytes();
    stats.in_flight_bytes = peer->outbox().in_flight_bytes();
    stats.requests_pending = peer->pending().size();
    all.push_back(std::move(stats));
  }
  return all;
}

LinkStats Link::totals() const {
  LinkStats totals = impl_->context->peers.stats();
  totals.peers_dead = impl_->context->peers_dead.read();
  totals.peers_left = impl_->context->peers_left.read();
  totals.slow_turns = impl_->context->brief_turns.slow_turns();
  return totals;
}

Status tell(const caf::strong_actor_ptr& target, const caf::strong_actor_ptr& sender,
            const AnyMessage& message) {
  if (!target) return Error{Errc::invalid_argument, "telling nobody"};
  if (Proxy* proxy = as_proxy(target)) return proxy->tell(sender, message);
  target->enqueue(sender, caf::make_message_id(), caf::make_message(message), nullptr);
  return ok();
}

ActorAddress remote_address(const caf::strong_actor_ptr& actor) {
  const Proxy* proxy = as_proxy(actor);
  return proxy ? proxy->address() : ActorAddress{};
}

}  // namespace slime::runtime
