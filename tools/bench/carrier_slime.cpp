// Our link, as actors use it: those with brief turns and those on shared threads.
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <stdexcept>
#include <string>

#include "runtime/base/random.hpp"
#include "runtime/link/brief_turns.hpp"
#include "runtime/link/caf_message.hpp"
#include "runtime/link/link.hpp"
#include "tools/bench/caf_driver.hpp"
#include "tools/bench/carrier.hpp"
#include "tools/bench/numbered_actors.hpp"

namespace slime::bench {

namespace {

using runtime::AnyMessage;

class NoEvents final : public runtime::PeerEvents {
 public:
  void peer_up(const runtime::PeerIdentity&) override {}
  void peer_suspect(const runtime::PeerIdentity&, Duration) override {}
  void peer_down(const runtime::PeerIdentity&, const runtime::Death&) override {}
};

struct Config : caf::actor_system_config {
  Config() { set("scheduler.policy", caf::atom("sharing")); }
};

/// Runs on the link's thread, as actors of a type with `Turns::brief` do.
class BriefSelf : public caf::event_based_actor, public runtime::BriefActor {
 public:
  using caf::event_based_actor::event_based_actor;
  bool has_brief_turns() const override { return true; }
  std::string text() const override { return "the carrier"; }
};

AnyMessage message_of(std::size_t bytes) {
  return {1, payload_of(bytes)};
}

struct Node {
  explicit Node(std::vector<runtime::Endpoint> listen) {
    runtime::LinkSettings settings;
    settings.self = self;
    settings.cluster_id = "bench";
    settings.listen = std::move(listen);
    settings.tcp_congestion = congestion_control();
    auto started = runtime::Link::start(std::move(settings), system, actors, events);
    if (!started) throw std::runtime_error(to_string(started.error()));
    link = std::move(*started);
  }

  const runtime::PeerIdentity self{random_node_id(), 1, "bench"};
  Config config;
  caf::actor_system system{config};
  NumberedActors actors{self};
  NoEvents events;
  std::unique_ptr<runtime::Link> link;
};

// The server's only actor is its first to be addressed; the client learns its number here.
std::pair<std::string, std::uint64_t> split(const std::string& announced) {
  const auto at = announced.rfind(' ');
  return {announced.substr(0, at), std::stoull(announced.substr(at + 1))};
}

template <class Self>
class SlimeClient final : public Client {
 public:
  explicit SlimeClient(const std::string& announced) : node_({}) {
    const auto [endpoint, number] = split(announced);
    const auto peer = node_.link->connect({endpoint}, std::chrono::seconds(10));
    if (!peer) throw std::runtime_error(to_string(peer.error()));
    target_ =
        caf::actor_cast<caf::actor>(node_.link->proxy({peer->node, peer->incarnation, number}));
  }

  double stream(std::size_t bytes, std::size_t count, std::size_t window) override {
    return run_drive<AnyMessage, Self>(node_.system, drive(bytes, 0, count, window));
  }
  std::vector<double> round_trips(std::size_t count) override {
    const auto asks = drive(small_bytes, 0, count, 1);
    run_drive<AnyMessage, Self>(node_.system, asks);
    return asks->seconds;
  }
  double one_way(std::size_t count) override {
    return run_drive<AnyMessage, Self>(node_.system, drive(small_bytes, count, 1, 1));
  }

 private:
  std::shared_ptr<Drive> drive(std::size_t bytes, std::size_t one_way, std::size_t asks,
                               std::size_t window) {
    auto drive = std::make_shared<Drive>();
    drive->target = target_;
    drive->payload = caf::make_message(message_of(bytes));
    drive->one_way = one_way;
    drive->asks = asks;
    drive->window = window;
    return drive;
  }

  Node node_;
  caf::actor target_;
};

template <class Self>
int serve(const std::string& endpoint) {
  Node node({{endpoint}});
  const auto answerer = node.system.spawn([](Self*) -> caf::behavior {
    return {[answer = message_of(8)](const AnyMessage&) { return answer; }};
  });
  const auto address = node.actors.address_of(caf::actor_cast<caf::strong_actor_ptr>(answerer));
  announce_and_wait(node.link->endpoints().front().text + " " + std::to_string(address.number));
  caf::anon_send_exit(answerer, caf::exit_reason::kill);
  return 0;
}

}  // namespace

int serve_slime(const std::string& endpoint) {
  return serve<BriefSelf>(endpoint);
}

std::unique_ptr<Client> connect_slime(const std::string& endpoint) {
  return std::make_unique<SlimeClient<BriefSelf>>(endpoint);
}

int serve_shared(const std::string& endpoint) {
  return serve<caf::event_based_actor>(endpoint);
}

std::unique_ptr<Client> connect_shared(const std::string& endpoint) {
  return std::make_unique<SlimeClient<caf::event_based_actor>>(endpoint);
}

}  // namespace slime::bench
