#include "tests/sim/sim_cluster.hpp"

#include <utility>

#include "actors/system/state_store.hpp"
#include "actors/system/types.hpp"
#include "runtime/placement/policies.hpp"
#include "runtime/wire/address.hpp"

namespace slime::tests {

using runtime::AnyMessage;
using runtime::Message;

/// What a real node is to its agent.
class SimCluster::Node final : public runtime::Spawner, public runtime::PeerBook {
 public:
  Node(runtime::Simulation& simulation, NodeId node) : simulation_(simulation), node_(node) {}

  Result<ActorAddress> spawn(std::string_view type, const AnyMessage& spec) override {
    return simulation_.spawn(node_, type, spec);
  }
  Status kill(const ActorAddress& actor, const Error& reason) override {
    return simulation_.kill_actor(actor, reason);
  }
  std::vector<runtime::ActorRecord> list() const override {
    std::vector<runtime::ActorRecord> records;
    for (const auto& status : simulation_.actors(node_))
      records.push_back({status.address, std::string(status.type), status.alive,
                         status.end ? to_string(*status.end) : ""});
    return records;
  }
  void introduce(NodeId, std::uint64_t, const std::string&,
                 const std::vector<std::string>&) override {}
  void condemn(NodeId node, std::uint64_t incarnation, const Error& reason) override {
    // An earlier process of a node that lives has no link any more.
    if (simulation_.incarnation(node) == incarnation) simulation_.sever(node_, node, reason);
  }
  NodeId id() const { return node_; }

 private:
  runtime::Simulation& simulation_;
  NodeId node_;
};

SimCluster::SimCluster(std::uint64_t seed, const runtime::LinkModel& link,
                       runtime::Catalogue catalogue)
    : simulation_(seed, link), catalogue_(std::move(catalogue)) {
  simulation_.on_lost([this](NodeId observer, NodeId lost, const Error& why) {
    // What is wrong with the head cannot be told to it.
    if (simulation_.alive(head_) && lost != head_) report_lost(observer, lost, why.context);
  });
}

SimCluster::~SimCluster() = default;

void SimCluster::report_lost(NodeId observer, NodeId lost, const std::string& why) {
  simulation_.tell(membership().address,
                   Message<schema::Suspect>::make([&](schema::Suspect::Builder root) {
                     runtime::write_node(root.initNode(), lost);
                     root.setIncarnation(simulation_.incarnation(lost));
                     root.setLost(true);
                     root.setReason(why);
                     runtime::write_node(root.initReporter(), observer);
                   }).any());
}

NodeId SimCluster::add_node(const std::string& name, std::vector<std::string> roles) {
  const NodeId node = simulation_.add_node(name, catalogue_);
  Node& inside = *nodes_.emplace_back(std::make_unique<Node>(simulation_, node));
  run_agent(inside);
  if (!head_) {
    head_ = node;
    run_head(inside);
  }
  join(members_.emplace_back(Member{node, name, std::move(roles)}));
  return node;
}

void SimCluster::run_agent(Node& inside) {
  (void)simulation_
      .spawn(inside.id(), actors::node_agent_type({inside, inside, [](const Error&) {}}), {},
             actors::node_agent_number)
      .value();
}

void SimCluster::run_head(Node& inside) {
  const auto run = [&](const runtime::ActorType& type, std::uint64_t number) {
    (void)simulation_.spawn(inside.id(), type, {}, number).value();
  };
  run(actors::membership_type({.wall_clock_us = [] { return 0; }, .keeper = &kept_}),
      actors::membership_number);
  run(actors::directory_type(&kept_), actors::directory_number);
  run(actors::state_store_type(&states_), actors::state_store_number);
  run(actors::supervisor_type(*runtime::find_placement_policy("spread"), &kept_),
      actors::supervisor_number);
}

void SimCluster::restart_head() {
  simulation_.restart_node(head_);
  Node& inside = *nodes_.emplace_back(std::make_unique<Node>(simulation_, head_));
  run_agent(inside);
  run_head(inside);
  join(members_.front());
  for (const Member& member : members_)
    if (!simulation_.alive(member.node)) report_lost(head_, member.node, "it cannot be reached");
}

void SimCluster::rejoin() {
  for (const Member& member : members_)
    if (member.node != head_ && simulation_.alive(member.node)) join(member);
}

void SimCluster::join(const Member& newcomer) {
  simulation_.ask(membership().address,
                  Message<schema::Join>::make([&](schema::Join::Builder root) {
                    auto member = root.initMember();
                    runtime::write_node(member.initNode(), newcomer.node);
                    member.setIncarnation(simulation_.incarnation(newcomer.node));
                    member.setName(newcomer.name);
                    auto list = member.initRoles(static_cast<unsigned>(newcomer.roles.size()));
                    for (unsigned i = 0; i < list.size(); ++i) list.set(i, newcomer.roles[i]);
                  }).any(),
                  std::chrono::seconds(60), [](const AnyMessage&) {});
}

}  // namespace slime::tests
