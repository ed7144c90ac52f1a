#include "tests/sim/sim_cluster.hpp"

#include <utility>

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
  void condemn(NodeId node, std::uint64_t, const Error& reason) override {
    simulation_.sever(node_, node, reason);
  }

 private:
  runtime::Simulation& simulation_;
  NodeId node_;
};

SimCluster::SimCluster(std::uint64_t seed, const runtime::LinkModel& link,
                       runtime::Catalogue catalogue)
    : simulation_(seed, link), catalogue_(std::move(catalogue)) {
  simulation_.on_lost([this](NodeId observer, NodeId lost, const Error& why) {
    if (!simulation_.alive(head_)) return;
    simulation_.tell(membership().address,
                     Message<schema::Suspect>::make([&](schema::Suspect::Builder root) {
                       runtime::write_node(root.initNode(), lost);
                       root.setIncarnation(simulation_.incarnation(lost));
                       root.setLost(true);
                       root.setReason(why.context);
                       runtime::write_node(root.initReporter(), observer);
                     }).any());
  });
}

SimCluster::~SimCluster() = default;

NodeId SimCluster::add_node(const std::string& name, std::vector<std::string> roles) {
  const NodeId node = simulation_.add_node(name, catalogue_);
  Node& inside = *nodes_.emplace_back(std::make_unique<Node>(simulation_, node));
  const auto run = [&](const runtime::ActorType& type, std::uint64_t number) {
    (void)simulation_.spawn(node, type, {}, number).value();
  };
  run(actors::node_agent_type({inside, inside, [](const Error&) {}}), actors::node_agent_number);
  if (!head_) {
    head_ = node;
    run(actors::membership_type({.wall_clock_us = [] { return 0; }}), actors::membership_number);
    run(actors::directory_type(), actors::directory_number);
    run(actors::supervisor_type(*runtime::find_placement_policy("spread")),
        actors::supervisor_number);
  }
  simulation_.ask(membership().address,
                  Message<schema::Join>::make([&](schema::Join::Builder root) {
                    auto member = root.initMember();
                    runtime::write_node(member.initNode(), node);
                    member.setIncarnation(simulation_.incarnation(node));
                    member.setName(name);
                    auto list = member.initRoles(static_cast<unsigned>(roles.size()));
                    for (unsigned i = 0; i < list.size(); ++i) list.set(i, roles[i]);
                  }).any(),
                  std::chrono::seconds(60), [](const AnyMessage&) {});
  return node;
}

}  // namespace slime::tests
