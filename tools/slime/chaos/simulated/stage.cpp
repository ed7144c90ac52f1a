#include "tools/slime/chaos/simulated/stage.hpp"

#include <algorithm>
#include <utility>

namespace slime::tools {

using namespace std::chrono_literals;
using runtime::Verdict;

namespace {

// How often whoever is not a member tries to become one, and processes are looked after.
constexpr Duration tend_interval = 50ms;
// A goodbye is heard before its process is gone.
constexpr Duration goodbye = 20ms;

}  // namespace

Stage::Stage(std::uint64_t seed, runtime::Catalogue catalogue, std::uint32_t workers,
             std::uint32_t shards, FailingDisk& disk)
    : disk_(disk), cluster_(seed, {.detection = detection}, disk.under(std::move(catalogue))) {
  cluster_.add_node("head", {"head"});
  for (std::uint32_t i = 0; i < workers; ++i) join("worker");
  for (std::uint32_t i = 0; i < shards; ++i) join("shard");
  simulation().observe([this](const runtime::Delivery& delivery) { return meet(delivery); });
  tend();
}

bool Stage::join(std::string_view role) {
  add(std::string(role) + "-" + std::to_string(named_[std::string(role)]++), role);
  return true;
}

void Stage::add(std::string name, std::string_view role) {
  const NodeId node = cluster_.add_node(name, {std::string(role)});
  places_.push_back({std::move(name), std::string(role), node});
}

bool Stage::kill(std::size_t place, Duration away) {
  if (!alive(place)) return false;
  simulation().kill_node(node_at(place));
  if (place == head)
    restart_head(away);
  else
    after(away, [this, place] { start_again(place); });
  return true;
}

void Stage::start_again(std::size_t place) {
  if (alive(place)) return;
  places_[place].node = cluster_.add_node(places_[place].name, {places_[place].role});
}

void Stage::restart_head(Duration away) {
  if (std::exchange(head_comes_back_, true)) return;
  after(away, [this] {
    // A head that cannot keep anything ends again, until it can.
    if (disk_.full("head")) {
      head_comes_back_ = false;
      return restart_head(100ms);
    }
    head_comes_back_ = false;
    cluster_.restart_head();
  });
}

void Stage::replace_if_lost(std::size_t place, NodeId node) {
  if (node_at(place) != node || !alive(place) || !cluster_.lost(node) || held_.contains(node))
    return;
  kill(place, Duration::zero());
}

bool Stage::stop(std::size_t place, Duration hold) {
  if (!alive(place)) return false;
  const NodeId node = node_at(place);
  const std::uint64_t incarnation = simulation().incarnation(node);
  simulation().pause_node(node);
  held_.insert(node);
  after(hold, [=, this] {
    held_.erase(held_.find(node));
    if (simulation().incarnation(node) != incarnation || !simulation().alive(node)) return;
    simulation().resume_node(node);
    if (place != head) return replace_if_lost(place, node);
    // Its nodes have done without it, and this process will never be heard again.
    if (hold >= detection) kill(head, Duration::zero());
  });
  return true;
}

bool Stage::isolate(const std::vector<std::size_t>& cut, Duration hold) {
  std::vector<std::pair<std::size_t, NodeId>> inside;
  std::vector<NodeId> outside{cluster_.head()};
  for (std::size_t place = 0; place < places_.size(); ++place) {
    if (!alive(place)) continue;
    if (std::ranges::find(cut, place) != cut.end())
      inside.emplace_back(place, node_at(place));
    else
      outside.push_back(node_at(place));
  }
  if (inside.empty()) return false;
  const auto set = [this, inside, outside](bool apart) {
    for (const auto& [place, node] : inside)
      for (const NodeId other : outside) simulation().partition(node, other, apart);
  };
  set(true);
  for (const auto& [place, node] : inside) held_.insert(node);
  after(hold, [this, set, inside] {
    set(false);
    for (const auto& [place, node] : inside) held_.erase(held_.find(node));
    for (const auto& [place, node] : inside) replace_if_lost(place, node);
  });
  return true;
}

bool Stage::part(std::size_t left, std::size_t right, Duration hold) {
  if (left == right || !alive(left) || !alive(right)) return false;
  const NodeId one = node_at(left), other = node_at(right);
  simulation().partition(one, other, true);
  after(std::min(hold, detection - 100ms),
        [=, this] { simulation().partition(one, other, false); });
  return true;
}

bool Stage::lose(double share, Duration hold) {
  ++losing_;
  simulation().set_link({.loss = share, .detection = detection});
  after(hold, [this] {
    if (--losing_ == 0) simulation().set_link({.detection = detection});
  });
  return true;
}

bool Stage::leave(std::size_t place, Duration away) {
  if (place == head || !alive(place) || !simulation().alive(cluster_.head())) return false;
  const NodeId node = node_at(place);
  cluster_.leave(node);
  after(goodbye, [=, this] {
    simulation().kill_node(node);
    Place& left = places_[place];
    // Nobody starts it again: somebody else comes.
    left.name = left.role + "-" + std::to_string(named_[left.role]++);
    after(away, [this, place] { start_again(place); });
  });
  return true;
}

bool Stage::fill(std::size_t place, Duration hold) {
  const std::string name = place == head ? "head" : places_[place].name;
  if (disk_.full(name)) return false;
  disk_.fill(name);
  if (place == head) cluster_.kept().broken = Error{Errc::io_error, "no space left"};
  after(hold, [this, name, place] {
    disk_.empty(name);
    if (place == head) cluster_.kept().broken.reset();
  });
  return true;
}

bool Stage::trap(std::vector<std::uint64_t> types, std::uint64_t count, Verdict verdict) {
  traps_.push_back({std::move(types), count, verdict});
  return true;
}

Verdict Stage::meet(const runtime::Delivery& delivery) {
  // A node agent that dies is a node that does, and the outside is no actor.
  if (traps_.empty() || delivery.to.number < actors::first_free_number ||
      delivery.from.number < actors::first_free_number)
    return Verdict::deliver;
  for (auto trap = traps_.begin(); trap != traps_.end(); ++trap) {
    if (std::ranges::find(trap->types, delivery.message.type) == trap->types.end()) continue;
    if (trap->left-- > 0) continue;
    const Verdict verdict = trap->verdict;
    traps_.erase(trap);
    return verdict;
  }
  return Verdict::deliver;
}

void Stage::after(Duration delay, std::function<void()> what) {
  due_.emplace(simulation().now() + delay, std::move(what));
}

void Stage::run_until(Instant until) {
  while (!ended_ && !due_.empty() && due_.begin()->first <= until) {
    simulation().run_until(std::max(simulation().now(), due_.begin()->first));
    due_.extract(due_.begin()).mapped()();
  }
  if (!ended_ && simulation().now() < until) simulation().run_until(until);
}

void Stage::tend() {
  after(tend_interval, [this] { tend(); });
  if (simulation().alive(cluster_.head()) && !cluster_.head_is_sound()) kill(head, 100ms);
  for (const NodeId refused : cluster_.tend())
    for (std::size_t place = 0; place < places_.size(); ++place)
      // Who is stopped or cut off hears of it later.
      if (node_at(place) == refused && !held_.contains(refused)) kill(place, Duration::zero());
}

}  // namespace slime::tools
