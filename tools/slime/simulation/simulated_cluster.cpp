#include "tools/slime/simulation/simulated_cluster.hpp"

#include <algorithm>
#include <utility>

#include "actors/system/types.hpp"
#include "runtime/actor/actor.hpp"
#include "runtime/wire/address.hpp"

namespace slime::tools {

using namespace std::chrono_literals;
using runtime::AnyMessage;
using runtime::Message;

namespace {

// So that whoever lost a message hears of its content in the end.
constexpr Duration refresh_interval = 5s;

using CensusProtocol = runtime::Protocol<runtime::Ask<schema::SubscribeMembers, schema::Members>,
                                         runtime::Tell<schema::Member>>;

/// Knows who is there, from the cluster, and tells those who asked to be told.
class Census final : public runtime::Actor<CensusProtocol> {
 public:
  Census(runtime::Host& host, const Message<schema::Members>&) : Actor(host) {
    on(&Census::subscribe);
    on(&Census::changed);
  }

 private:
  void on_start() override { refresh(); }

  void refresh() {
    tell_all();
    after(refresh_interval, [this] { refresh(); });
  }

  void subscribe(const Message<schema::SubscribeMembers>& request,
                 runtime::Reply<schema::Members> reply) {
    subscribers_.push_back(
        {request.read([](auto read) { return runtime::read_address(read.getSubscriber()); })});
    reply.send(snapshot());
  }

  void changed(const Message<schema::Member>& member) {
    const NodeId node = member.read([](auto read) { return runtime::read_node(read.getNode()); });
    member.read([&](schema::Member::Reader read) {
      if (read.getState() == schema::MemberState::ALIVE)
        members_.push_back({node, member});
      else
        std::erase_if(members_, [node](const auto& known) { return known.first == node; });
    });
    tell_all();
  }

  void tell_all() {
    if (subscribers_.empty()) return;
    const auto members = snapshot();
    for (const auto& subscriber : subscribers_) (void)tell(subscriber, members);
  }

  Message<schema::Members> snapshot() const {
    return Message<schema::Members>::make([this](schema::Members::Builder root) {
      auto list = root.initMembers(static_cast<unsigned>(members_.size()));
      for (unsigned i = 0; i < list.size(); ++i)
        members_[i].second.read([&](auto read) { list.setWithCaveats(i, read); });
    });
  }

  std::vector<std::pair<NodeId, Message<schema::Member>>> members_;
  std::vector<runtime::Ref<actors::MembersListener>> subscribers_;
};

}  // namespace

/// What a machine is to its node agent.
class SimulatedCluster::Machine final : public runtime::Spawner, public runtime::PeerBook {
 public:
  Machine(runtime::Simulation& simulation, NodeId node, std::string role)
      : simulation_(simulation), node_(node), role_(std::move(role)) {}

  Result<ActorAddress> spawn(std::string_view type, const AnyMessage& spec) override {
    // A worker that lost its machine waits for another one and does not crowd somebody else's.
    if (role_ != "head" && simulation_.alive(actor_))
      return Error{Errc::unavailable, "the machine is in use"};
    auto spawned = simulation_.spawn(node_, type, spec);
    if (spawned) actor_ = *spawned;
    return spawned;
  }
  Status kill(const ActorAddress& actor, const Error& reason) override {
    return simulation_.kill_actor(actor, reason);
  }
  std::vector<runtime::ActorRecord> list() const override { return {}; }
  void introduce(NodeId, std::uint64_t, const std::string&,
                 const std::vector<std::string>&) override {}
  void condemn(NodeId, std::uint64_t, const Error&) override {}

  NodeId node() const { return node_; }
  const std::string& role() const { return role_; }

 private:
  runtime::Simulation& simulation_;
  NodeId node_;
  std::string role_;
  ActorAddress actor_;
};

SimulatedCluster::SimulatedCluster(std::uint64_t seed, const runtime::LinkModel& link,
                                   runtime::Catalogue catalogue)
    : simulation_(seed, link), catalogue_(std::move(catalogue)) {
  const auto run = [this](const runtime::ActorType& type, std::uint64_t number) {
    (void)simulation_.spawn(head_, type, Message<schema::Members>::make().any(), number).value();
  };
  head_ = simulation_.add_node("head", catalogue_);
  run(runtime::actor_type<Census, schema::Members>("census"), actors::membership_number);
  run(actors::directory_type(), actors::directory_number);
  Machine& inside = machines_.emplace_back(simulation_, head_, "head");
  run(actors::node_agent_type({inside, inside, [](const Error&) {}}), actors::node_agent_number);
  tell_census(head_, "head", true);
  simulation_.on_lost([this](NodeId observer, NodeId lost, const Error&) {
    if (observer != head_) return;
    const auto machine = std::ranges::find(machines_, lost, &Machine::node);
    lost_.insert(lost);
    tell_census(lost, machine->role(), false);
  });
}

SimulatedCluster::~SimulatedCluster() = default;

NodeId SimulatedCluster::add_machine(const std::string& name, const std::string& role) {
  const NodeId node = simulation_.add_node(name, catalogue_);
  Machine& inside = machines_.emplace_back(simulation_, node, role);
  (void)simulation_
      .spawn(node, actors::node_agent_type({inside, inside, [](const Error&) {}}), {},
             actors::node_agent_number)
      .value();
  tell_census(node, role, true);
  return node;
}

void SimulatedCluster::tell_census(NodeId node, const std::string& role, bool alive) {
  simulation_.tell(membership(),
                   Message<schema::Member>::make([&](schema::Member::Builder root) {
                     runtime::write_node(root.initNode(), node);
                     root.setIncarnation(simulation_.incarnation(node));
                     root.setName(simulation_.name(node));
                     root.initRoles(1).set(0, role);
                     root.setState(alive ? schema::MemberState::ALIVE : schema::MemberState::DEAD);
                   }).any());
}

}  // namespace slime::tools
