#include <algorithm>
#include <utility>

#include "actors/training/coordinator.hpp"
#include "actors/training/job_parts.hpp"
#include "runtime/placement/policies.hpp"
#include "runtime/wire/address.hpp"

namespace slime::actors {

using namespace std::chrono_literals;

namespace {

constexpr runtime::Retry retry{100ms, 1s};
constexpr Duration spawn_deadline = 2s;
constexpr int spawn_attempts = 5;
// How long a place stays empty before its worker shares a node with another one.
constexpr Duration crowding_delay = 10s;
constexpr Duration placement_retry = 500ms;
// Against one that died while it loaded its data.
constexpr std::size_t weight_of_worker = 2;
constexpr Duration dismissal_deadline = 5s;

}  // namespace

void CoordinatorActor::members(const Message<schema::Members>& message) {
  message.read([this](schema::Members::Reader read) {
    members_.clear();
    for (const auto member : read.getMembers()) {
      if (member.getState() != schema::MemberState::ALIVE) continue;
      std::vector<std::string> roles;
      for (const auto role : member.getRoles()) roles.emplace_back(role.cStr());
      members_.push_back({.node = runtime::read_node(member.getNode()),
                          .incarnation = member.getIncarnation(),
                          .name = member.getName().cStr(),
                          .roles = std::move(roles),
                          .actors = 0});
    }
  });
  recruit();
  spread_out();
  place_standbys();
}

std::vector<runtime::Candidate> CoordinatorActor::candidates() const {
  auto nodes = members_;
  std::erase_if(nodes, [this](const auto& node) { return excluded_.contains(node.node); });
  return nodes;
}

std::optional<runtime::Candidate> CoordinatorActor::place(
    const std::string& role, const std::function<std::size_t(NodeId)>& load) const {
  auto nodes = candidates();
  for (auto& node : nodes) node.actors = load(node.node);
  const auto* chosen = runtime::find_placement_policy("spread")->choose(nodes, role);
  if (!chosen) return std::nullopt;
  return *chosen;
}

void CoordinatorActor::spawn(const runtime::Candidate& node, const std::string& type,
                             const runtime::AnyMessage& spec,
                             std::function<void(Result<ActorAddress>)> done) {
  const auto bytes = spec.words.as_bytes();
  const auto request = Message<schema::Spawn>::make(
      [&](schema::Spawn::Builder root) {
        root.setType(type);
        root.setSpecType(spec.type);
        root.setSpec(
            capnp::Data::Reader(reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()));
        root.setKey(++spawn_key_);
      },
      bytes.size() / 8 + 64);
  spawn_again(node_agent_of(node.node, node.incarnation), request, spawn_attempts, std::move(done));
}

void CoordinatorActor::spawn_again(const NodeAgent& agent, const Message<schema::Spawn>& request,
                                   int attempts, std::function<void(Result<ActorAddress>)> done) {
  ask(agent, request, spawn_deadline,
      [=, this, done = std::move(done)](Result<Message<schema::Spawned>> spawned) {
        if (spawned)
          return done(
              spawned->read([](auto read) { return runtime::read_address(read.getAddress()); }));
        // The key makes a repetition answer with the same actor.
        if (spawned.error().code == Errc::timeout && attempts > 1)
          return spawn_again(agent, request, attempts - 1, done);
        done(spawned.error());
      });
}

void CoordinatorActor::register_name(const std::string& name, const ActorAddress& address,
                                     std::function<void()> done) {
  ask_until_answered(directory(), Message<schema::Register>::make([&](auto root) {
                       root.setName(name);
                       runtime::write_address(root.initAddress(), address);
                       root.setReplace(true);
                     }),
                     retry,
                     [done = std::move(done)](Result<Message<schema::Registered>> registered) {
                       // A directory that cannot keep a name ends, and with it the head and this
                       // actor: whoever follows would not find what rests on the name.
                       if (registered) done();
                     });
}

void CoordinatorActor::recruit() {
  if (!looked_around_ || ended()) return;
  const auto is_vacant = [](const WorkerSlot& slot) {
    return slot.state == WorkerSlot::State::vacant;
  };
  if (std::ranges::none_of(workers_, is_vacant)) return;
  auto load = workers_by_node();
  auto nodes = candidates();
  // An empty node is preferred to one with a worker until it has lost two.
  for (auto& node : nodes) node.actors = weight_of_worker * load[node.node] + lost_on(node.node);
  for (std::uint32_t worker = 0; worker < workers_.size(); ++worker)
    if (is_vacant(workers_[worker])) recruit_into(worker, nodes);
}

void CoordinatorActor::recruit_into(std::uint32_t worker, std::vector<runtime::Candidate>& nodes) {
  WorkerSlot& slot = workers_[worker];
  const auto try_again = [this](Duration delay) {
    if (recruit_timer_) return;
    recruit_timer_ = after(delay, [this] {
      recruit_timer_.reset();
      recruit();
    });
  };
  if (now() < slot.not_before) return try_again(placement_retry);
  const auto* node = runtime::find_placement_policy("spread")->choose(nodes, "worker");
  const bool shared = node && node->actors > lost_on(node->node);
  if (!node || (shared && now() - slot.vacant_since < crowding_delay))
    return try_again(placement_retry);
  slot.state = WorkerSlot::State::spawning;
  slot.node = node->node;
  nodes[static_cast<std::size_t>(node - nodes.data())].actors += weight_of_worker;
  slot.worker = {};
  const auto spec = Message<schema::WorkerSpec>::make([&](auto root) {
    root.setJob(job());
    root.setWorker(worker);
  });
  spawn(*node, "worker", spec.any(), [this, worker](Result<ActorAddress> spawned) {
    if (!spawned) {
      ++lost_on_[workers_[worker].node];
      return vacate(
          worker,
          "worker " + std::to_string(worker) + " could not be started: " + spawned.error().context,
          placement_retry);
    }
    const Worker ref{*spawned};
    workers_[worker].worker = ref;
    watch(ref);
    register_name(name_of("worker/" + std::to_string(worker)), ref.address);
    ask_description(worker, ref);
  });
}

std::unordered_map<NodeId, std::size_t> CoordinatorActor::workers_by_node() const {
  std::unordered_map<NodeId, std::size_t> load;
  for (const WorkerSlot& slot : workers_)
    if (slot.state != WorkerSlot::State::vacant) ++load[slot.node];
  return load;
}

std::size_t CoordinatorActor::lost_on(NodeId node) const {
  const auto found = lost_on_.find(node);
  return found == lost_on_.end() ? 0 : found->second;
}

void CoordinatorActor::spread_out() {
  if (!running()) return;
  auto load = workers_by_node();
  for (auto worker = static_cast<std::uint32_t>(workers_.size()); worker-- > 0;) {
    const WorkerSlot& slot = workers_[worker];
    if (slot.state != WorkerSlot::State::working || load[slot.node] < 2) continue;
    const auto node = place("worker", [&](NodeId id) { return load[id] + lost_on(id); });
    if (!node || node->actors > 0) return;
    vacate(worker, "worker " + std::to_string(worker) + " moves to " + node->name, 0s);
    load = workers_by_node();
  }
}

void CoordinatorActor::start_when_ready() {
  // Before the term is known, while shards are being adopted, and once they were deployed, others
  // decide how it goes on.
  if (ended() || term_ == 0 || adopting_ || deployment_ > 0) return;
  const auto is_described = [](const WorkerSlot& slot) {
    return slot.state == WorkerSlot::State::described;
  };
  if (std::ranges::all_of(workers_, is_described)) return deploy();
  // A job that cannot fill every place starts with those it has.
  if (!start_timer_ && std::ranges::any_of(workers_, is_described))
    start_timer_ = after(2 * crowding_delay, [this] { deploy(); });
}

void CoordinatorActor::vacate(std::uint32_t worker, const std::string& why, Duration pause) {
  WorkerSlot& slot = workers_[worker];
  // An attempt that fails as the one before is no news.
  if (std::exchange(slot.absent_because, why) != why) event(why);
  cancel_asks_to(slot.worker.address);
  dismiss(slot.worker.address, why);
  crew_.forget(worker);
  const WorkerId id{worker};
  history_.workers[worker].leave(run_seconds());
  if (slot.state == WorkerSlot::State::working) {
    ledger_->leave(id);
    note_gone(worker, why);
    if (evaluation_) evaluation_->lose(id);
    const auto forget = Message<schema::Forget>::make([&](auto root) { root.setWorker(worker); });
    if (monitor_) (void)tell(monitor_, forget);
    if (balancer_) (void)tell(balancer_, forget);
    slack_.erase(id);
    paces_.erase(id);
  }
  slot.state = WorkerSlot::State::vacant;
  slot.silent = false;
  slot.worker = {};
  slot.begin_anew();
  slot.vacant_since = now();
  slot.not_before = now() + pause;
  recruit();
  history_changed();
  if (running()) offer_all();
}

void CoordinatorActor::begin(std::uint32_t worker) {
  WorkerSlot& slot = workers_[worker];
  const Worker ref = slot.worker;
  const auto request = Message<schema::Begin>::make([this](schema::Begin::Builder root) {
    root.setTerm(term_);
    runtime::write_address(root.initCoordinator(), self());
    root.setStartedNs(clock_.elapsed(now()).count());
    auto shards = root.initShards(static_cast<unsigned>(shards_.size()));
    for (unsigned i = 0; i < shards_.size(); ++i) {
      runtime::write_address(shards[i].initAddress(), shards_[i].shard.address);
      shards[i].setFirst(shards_[i].range.first);
      shards[i].setCount(shards_[i].range.count);
    }
  });
  if (!std::exchange(slot.absent_because, {}).empty()) {
    const auto at = std::ranges::find(members_, slot.node, &runtime::Candidate::node);
    event("worker " + std::to_string(worker) + " is at work again" +
          (at == members_.end() ? "" : " on " + at->name));
  }
  // Known from now on: its first Next may overtake the answer to Begin.
  slot.state = WorkerSlot::State::working;
  history_.workers[worker].join(WorkerId{worker}, run_seconds());
  ledger_->join(WorkerId{worker});
  note_joined(worker);
  const auto enlist = Message<schema::Enlist>::make([&](auto root) { root.setWorker(worker); });
  if (monitor_) (void)tell(monitor_, enlist);
  if (balancer_) (void)tell(balancer_, enlist);
  ask_until_answered(
      ref, request, retry, [this, worker, ref](Result<Message<schema::Begun>> begun) {
        if (!begun && workers_[worker].worker == ref && begun.error().code != Errc::stale)
          vacate(worker,
                 "worker " + std::to_string(worker) + " could not begin: " + begun.error().context,
                 retry.most);
      });
}

void CoordinatorActor::hire_advisers() {
  const auto head = std::ranges::find(members_, self().node, &runtime::Candidate::node);
  if (head == members_.end() || hiring_ || (monitor_ && balancer_)) return;
  hiring_ = true;
  const auto spec = Message<schema::BalancerSpec>::make([this](auto root) {
    root.setJob(job());
    root.setStartedNs(clock_.elapsed(now()).count());
    runtime::write_address(root.initCoordinator(), self());
  });
  const auto retire = [this] {
    hiring_ = false;
    after(placement_retry, [this] { hire_advisers(); });
  };
  const auto hire_monitor = [this, retire, head = *head] {
    const auto monitor_spec = Message<schema::MonitorSpec>::make([this](auto root) {
      root.setJob(job());
      runtime::write_address(root.initCoordinator(), self());
      runtime::write_address(root.initBalancer(), balancer_.address);
      saved_filters_.read(
          [&](schema::Filters::Reader read) { root.setFilters(read.getFilters()); });
    });
    spawn(head, "performance_monitor", monitor_spec.any(),
          [this, retire](Result<ActorAddress> spawned) {
            if (!spawned) return retire();
            hiring_ = false;
            monitor_ = PerformanceMonitor{*spawned};
            watch(monitor_);
            register_name(name_of("adviser/performance_monitor"), monitor_.address);
            enlist_all();
            // The balancer may have died meanwhile.
            hire_advisers();
          });
  };
  if (monitor_) {
    // A monitor speaks to one balancer; with another balancer comes another monitor.
    dismiss(monitor_.address, "its balancer died");
    monitor_ = {};
  }
  if (balancer_) return hire_monitor();
  spawn(*head, "balancer", spec.any(), [this, retire, hire_monitor](Result<ActorAddress> spawned) {
    if (!spawned) return retire();
    balancer_ = Balancer{*spawned};
    watch(balancer_);
    tell_run_time();
    register_name(name_of("adviser/balancer"), balancer_.address);
    hire_monitor();
  });
}

void CoordinatorActor::dismiss(const ActorAddress& actor, const std::string& why, int attempts) {
  if (!actor) return;
  const auto request = Message<schema::Kill>::make([&](schema::Kill::Builder root) {
    runtime::write_address(root.initAddress(), actor);
    root.setReason(why);
  });
  // Those that cannot be reached are fenced by their term.
  ask(node_agent_of(actor.node, actor.incarnation), request, dismissal_deadline,
      [=, this](Result<Message<schema::Killed>> killed) {
        if (!killed && killed.error().code == Errc::timeout && attempts > 1)
          dismiss(actor, why, attempts - 1);
      });
}

void CoordinatorActor::set_clock(bool ticking) {
  if (clock_.ticking() == ticking) return;
  ticking ? clock_.resume(now()) : clock_.pause(now());
  tell_run_time();
}

void CoordinatorActor::tell_run_time() {
  if (!balancer_) return;
  // A lost one is replaced by the next.
  (void)tell(balancer_, Message<schema::RunTime>::make([this](schema::RunTime::Builder root) {
               root.setElapsedNs(clock_.elapsed(now()).count());
               root.setTicking(clock_.ticking());
             }));
}

void CoordinatorActor::enlist_all() {
  for (std::uint32_t worker = 0; worker < workers_.size(); ++worker) {
    if (workers_[worker].state != WorkerSlot::State::working) continue;
    const auto enlist = Message<schema::Enlist>::make([&](auto root) { root.setWorker(worker); });
    (void)tell(monitor_, enlist);
    (void)tell(balancer_, enlist);
  }
}

}  // namespace slime::actors
