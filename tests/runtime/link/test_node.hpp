#pragma once

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/response_promise.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/link/caf_error.hpp"
#include "runtime/link/caf_message.hpp"
#include "runtime/link/link.hpp"
#include "tools/bench/numbered_actors.hpp"

namespace slime::runtime {

/// Notes what a link reports and waits for it.
class RecordedEvents final : public PeerEvents {
 public:
  void peer_up(const PeerIdentity& peer) override { note("up " + peer.name); }
  void peer_suspect(const PeerIdentity& peer, Duration) override { note("suspect " + peer.name); }
  void peer_down(const PeerIdentity& peer, const Death& death) override {
    note("down " + peer.name + ": " + death.reason);
  }
  void note(std::string line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
    changed_.notify_all();
  }
  /// Whether a line that starts with `start` comes within `timeout`; counts from the first line.
  bool wait_for(const std::string& start, std::size_t times = 1,
                Duration timeout = std::chrono::seconds(20)) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, timeout, [&] { return count(start) >= times; });
  }
  std::vector<std::string> lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  std::size_t count(const std::string& start) const {
    std::size_t hits = 0;
    for (const auto& line : lines_) hits += line.starts_with(start);
    return hits;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
};

/// A node with everything a link needs, on loopback sockets of its own.
struct TestNode {
  struct Config : caf::actor_system_config {
    Config() {
      set("scheduler.policy", caf::atom("sharing"));
      set("scheduler.max-threads", 2);
      set("logger.verbosity", caf::atom("quiet"));
    }
  };

  static LinkSettings defaults(std::string name, std::uint64_t id) {
    LinkSettings settings;
    settings.self = {NodeId{id << 32, id}, 1, std::move(name)};
    settings.cluster_id = "test";
    settings.token = "secret";
    settings.listen = {{"tcp:127.0.0.1:0"}};
    settings.handshake_timeout = std::chrono::milliseconds(500);
    return settings;
  }

  explicit TestNode(LinkSettings settings)
      : self(settings.self), table(self), log(std::make_shared<RecordedEvents>()) {
    settings.log = [log = log](LogLevel level, const std::string& line) {
      log->note(line + (level == LogLevel::warning ? " (warning)" : ""));
    };
    auto started = Link::start(std::move(settings), system, table, events);
    if (!started) throw std::runtime_error(to_string(started.error()));
    link = std::move(*started);
  }
  TestNode(std::string name, std::uint64_t id) : TestNode(defaults(std::move(name), id)) {}
  ~TestNode() {
    link->stop();
    for (const caf::actor& actor : actors) caf::anon_send_exit(actor, caf::exit_reason::kill);
    system.registry().await_running_count_equal(0);
  }

  Endpoint endpoint() const { return link->endpoints().front(); }
  /// Makes `other` reachable from here.
  void knows(const TestNode& other) { link->introduce(other.self, other.link->endpoints()); }
  /// Spawns an actor that other nodes can address; it lives as long as the node, unless it quits.
  template <class... Behavior>
  ActorAddress spawn(Behavior&&... behavior) {
    actors.push_back(system.spawn(std::forward<Behavior>(behavior)...));
    return table.address_of(caf::actor_cast<caf::strong_actor_ptr>(actors.back()));
  }
  caf::actor handle(const ActorAddress& address) {
    return caf::actor_cast<caf::actor>(link->proxy(address));
  }

  const PeerIdentity self;
  Config config;
  caf::actor_system system{config};
  bench::NumberedActors table;
  std::vector<caf::actor> actors;
  RecordedEvents events;
  std::shared_ptr<RecordedEvents> log;
  std::unique_ptr<Link> link;
};

/// A message of `words` words, the first of which is `value`.
inline AnyMessage test_message(std::uint64_t value, std::size_t words = 4) {
  Block* block = acquire_block(words);
  block->words()[0] = value;
  for (std::size_t i = 1; i < words; ++i) block->words()[i] = value + i;
  return {42, Words::adopt(block, 0, words)};
}

/// Answers twice the first word, at the length of the question.
inline caf::behavior doubler(caf::event_based_actor*) {
  return {[](const AnyMessage& message) {
    return test_message(message.words.data()[0] * 2, message.words.count());
  }};
}

/// Never answers: keeps the promise, or nothing at all.
inline caf::behavior silent(caf::event_based_actor* self) {
  auto promises = std::make_shared<std::vector<caf::response_promise>>();
  return {[self, promises](const AnyMessage&) -> caf::result<AnyMessage> {
    promises->push_back(self->make_response_promise());
    return caf::delegated<AnyMessage>();
  }};
}

}  // namespace slime::runtime
