#include "tools/slime/simulation/supervised_cluster.hpp"

#include <algorithm>
#include <utility>

#include "actors/system/state_store.hpp"
#include "actors/system/types.hpp"
#include "runtime/actor/failure.hpp"
#include "runtime/placement/policies.hpp"
#include "runtime/wire/address.hpp"

namespace slime::tools {

using runtime::AnyMessage;
using runtime::Message;

namespace {

// Who asked a head that died meanwhile asks the next one.
constexpr Duration join_within = std::chrono::seconds(2);

}  // namespace

/// What a real node is to its agent.
class SupervisedCluster::Node final : public runtime::Spawner, public runtime::PeerBook {
 public:
  Node(SupervisedCluster& cluster, NodeId node)
      : cluster_(cluster), simulation_(cluster.simulation()), node_(node) {}

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
    if (simulation_.incarnation(node) != incarnation) return;
    simulation_.sever(node_, node, reason);
    // Its link finds the head's closed to it.
    if (node_ == cluster_.head_ && node != node_) cluster_.fenced(node);
  }
  NodeId id() const { return node_; }

 private:
  SupervisedCluster& cluster_;
  runtime::Simulation& simulation_;
  NodeId node_;
};

SupervisedCluster::SupervisedCluster(std::uint64_t seed, const runtime::LinkModel& link,
                                     runtime::Catalogue catalogue)
    : simulation_(seed, link), catalogue_(std::move(catalogue)) {
  simulation_.on_lost([this](NodeId observer, NodeId lost, const Error& why) {
    // An earlier process of the head is none of the nodes.
    if (observer == head_ && lost != head_) lost_.insert(lost);
    if (observer != head_ && lost != head_) parted_.emplace(observer, lost);
    // What is wrong with the head cannot be told to it, nor by whom it does not hear.
    const bool heard = observer == head_ || simulation_.connected(observer, head_);
    if (simulation_.alive(head_) && lost != head_ && heard)
      report_lost(observer, lost, why.context);
  });
}

SupervisedCluster::~SupervisedCluster() = default;

void SupervisedCluster::report_lost(NodeId observer, NodeId lost, const std::string& why) {
  simulation_.tell(membership().address,
                   Message<schema::Suspect>::make([&](schema::Suspect::Builder root) {
                     runtime::write_node(root.initNode(), lost);
                     root.setIncarnation(simulation_.incarnation(lost));
                     root.setLost(true);
                     root.setReason(why);
                     runtime::write_node(root.initReporter(), observer);
                   }).any());
}

NodeId SupervisedCluster::add_node(const std::string& name, std::vector<std::string> roles) {
  const NodeId node = simulation_.add_node(name, catalogue_);
  Node& inside = *nodes_.emplace_back(std::make_unique<Node>(*this, node));
  run_agent(inside);
  if (!head_) {
    head_ = node;
    run_head(inside);
  }
  join(members_.emplace_back(Member{.node = node, .name = name, .roles = std::move(roles)}));
  return node;
}

void SupervisedCluster::run_agent(Node& inside) {
  const auto told = [this, node = inside.id()](const Error&) { fenced(node); };
  (void)simulation_
      .spawn(inside.id(), actors::node_agent_type({inside, inside, told}), {},
             actors::node_agent_number)
      .value();
}

void SupervisedCluster::fenced(NodeId node) {
  if (lost_.insert(node).second) refused_.push_back(node);
}

void SupervisedCluster::run_head(Node& inside) {
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

void SupervisedCluster::restart_head() {
  simulation_.restart_node(head_);
  Node& inside = *nodes_.emplace_back(std::make_unique<Node>(*this, head_));
  run_agent(inside);
  run_head(inside);
  for (Member& member : members_) member.joined = false;
  join(members_.front());
  for (const Member& member : members_)
    if (!simulation_.alive(member.node) || lost(member.node))
      report_lost(head_, member.node, "it cannot be reached");
}

void SupervisedCluster::rejoin() {
  for (Member& member : members_)
    if (member.node != head_ && simulation_.alive(member.node)) join(member);
}

std::vector<NodeId> SupervisedCluster::tend() {
  if (simulation_.alive(head_))
    for (Member& member : members_)
      if (!member.joined && !member.asking && !lost(member.node) && simulation_.alive(member.node))
        join(member);
  return std::exchange(refused_, {});
}

void SupervisedCluster::join(Member& newcomer) {
  newcomer.asking = true;
  const auto answered = [this, &newcomer](const AnyMessage& answer) {
    newcomer.asking = false;
    const auto failure = runtime::failure_of(answer);
    newcomer.joined = !failure;
    if (newcomer.joined) tell_parted(newcomer.node);
    if (failure && failure->code == Errc::stale) fenced(newcomer.node);
  };
  simulation_.ask(membership().address,
                  Message<schema::Join>::make([&](schema::Join::Builder root) {
                    auto member = root.initMember();
                    runtime::write_node(member.initNode(), newcomer.node);
                    member.setIncarnation(simulation_.incarnation(newcomer.node));
                    member.setName(newcomer.name);
                    auto list = member.initRoles(static_cast<unsigned>(newcomer.roles.size()));
                    for (unsigned i = 0; i < list.size(); ++i) list.set(i, newcomer.roles[i]);
                  }).any(),
                  join_within, answered);
}

void SupervisedCluster::tell_parted(NodeId observer) {
  const auto [begin, end] = parted_.equal_range(observer);
  for (auto at = begin; at != end; ++at) report_lost(observer, at->second, "its link is closed");
}

void SupervisedCluster::leave(NodeId node) {
  simulation_.ask(membership().address,
                  Message<schema::Leave>::make([&](schema::Leave::Builder root) {
                    runtime::write_node(root.initNode(), node);
                    root.setIncarnation(simulation_.incarnation(node));
                    root.setReason("it was asked to");
                  }).any(),
                  join_within, [](const AnyMessage&) {});
}

bool SupervisedCluster::head_is_sound() {
  return simulation_.alive(head_) && simulation_.alive(membership().address) &&
         simulation_.alive(directory().address) && simulation_.alive(supervisor().address);
}

}  // namespace slime::tools
