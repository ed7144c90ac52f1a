#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "actors/system/kept_in_memory.hpp"
#include "actors/system/types.hpp"
#include "runtime/placement/policies.hpp"
#include "runtime/simulation/simulation.hpp"
#include "runtime/wire/address.hpp"
#include "tests/cluster/probe.hpp"

namespace slime::tests {

using runtime::Message;

/// A simulated head and members with the real system actors on them, and probes to spawn. What the
/// simulated links notice is told to the membership, as a node does. The head keeps what its next
/// process needs.
class SmallCluster {
 public:
  explicit SmallCluster(std::uint64_t seed = 1, runtime::LinkModel link = {}) : sim(seed, link) {
    head = start("head", {});
    lead();
    sim.on_lost([this](NodeId observer, NodeId lost, const Error& why) {
      if (lost != head) report(observer, lost, true, why.context);
    });
    BOOST_REQUIRE(join(head, "head", {}));
  }

  /// Kills the head and starts its next process, which nobody but itself has joined yet.
  void restart_head() {
    sim.kill_node(head);
    sim.restart_node(head);
    run_agent(head);
    lead();
    BOOST_REQUIRE(join(head, "head", {}));
  }

  /// A node that has joined.
  NodeId add(const std::string& name, const std::vector<std::string>& roles = {"worker"}) {
    const NodeId node = start(name, roles);
    const auto joined = join(node, name, roles);
    BOOST_REQUIRE(joined);
    return node;
  }

  /// A node that has not.
  NodeId start(const std::string& name, const std::vector<std::string>&) {
    const NodeId node = sim.add_node(name, {Probe::type()});
    run_agent(node);
    return node;
  }

  Result<Message<schema::Members>> join(NodeId node, const std::string& name,
                                        const std::vector<std::string>& roles) {
    return sim.call(membership(), Message<schema::Join>::make([&](schema::Join::Builder root) {
                      auto member = root.initMember();
                      runtime::write_node(member.initNode(), node);
                      member.setIncarnation(sim.incarnation(node));
                      member.setName(name);
                      member.setPid(4711);
                      auto list = member.initRoles(static_cast<unsigned>(roles.size()));
                      for (unsigned i = 0; i < list.size(); ++i) list.set(i, roles[i]);
                      member.initEndpoints(1).set(0, "tcp:" + name + ":1");
                    }));
  }

  void report(NodeId reporter, NodeId subject, bool lost, const std::string& why,
              bool cleared = false) {
    sim.tell(membership().address,
             Message<schema::Suspect>::make([&](schema::Suspect::Builder root) {
               runtime::write_node(root.initNode(), subject);
               root.setIncarnation(sim.incarnation(subject));
               root.setLost(lost);
               root.setReason(why);
               root.setCleared(cleared);
               runtime::write_node(root.initReporter(), reporter);
             }).any());
  }

  /// State and reason of the latest member with this name, such as "dead: because".
  std::string state(const std::string& name) {
    static constexpr const char* states[] = {"alive", "suspect", "dead", "left"};
    std::string found = "unknown";
    sim.call(membership(), Message<schema::GetMembers>::make())
        .value()
        .read([&](schema::Members::Reader root) {
          for (const auto member : root.getMembers())
            if (member.getName() == kj::StringPtr(name.c_str()))
              found = std::string(states[static_cast<int>(member.getState())]) +
                      (member.getReason().size() > 0 ? ": " : "") + member.getReason().cStr();
        });
    return found;
  }

  Result<ActorAddress> spawn(NodeId node, const std::string& type,
                             const std::string& throw_text = {}, std::uint64_t key = 0) {
    const auto spec = probe_spec(throw_text);
    const auto answer = sim.call(
        agent(node), Message<schema::Spawn>::make([&](schema::Spawn::Builder root) {
          root.setType(type);
          root.setSpecType(runtime::type_id<schema::ProbeSpec>());
          const auto bytes = spec.words().as_bytes();
          root.setSpec(kj::arrayPtr(reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()));
          root.setKey(key);
        }));
    if (!answer) return answer.error();
    return answer->read([](auto root) { return runtime::read_address(root.getAddress()); });
  }

  Result<ActorAddress> look_up(const std::string& name) {
    const auto answer = sim.call(
        directory(),
        Message<schema::Lookup>::make([&](schema::Lookup::Builder root) { root.setName(name); }));
    if (!answer) return answer.error();
    return answer->read([](auto root) { return runtime::read_address(root.getAddress()); });
  }

  actors::NodeAgent agent(NodeId node) {
    return actors::node_agent_of(node, sim.incarnation(node));
  }
  actors::Membership membership() { return {fixed(actors::membership_number)}; }
  actors::Directory directory() { return {fixed(actors::directory_number)}; }
  actors::Supervisor supervisor() { return {fixed(actors::supervisor_number)}; }

  void run(Duration duration) { sim.run_until(sim.now() + duration); }

  /// What a node agent acts on.
  struct Node final : runtime::Spawner, runtime::PeerBook {
    Node(runtime::Simulation& simulation, NodeId node) : sim(simulation), id(node) {}

    Result<ActorAddress> spawn(std::string_view type, const runtime::AnyMessage& spec) override {
      return sim.spawn(id, type, spec);
    }
    Status kill(const ActorAddress& actor, const Error& reason) override {
      return sim.kill_actor(actor, reason);
    }
    std::vector<runtime::ActorRecord> list() const override {
      std::vector<runtime::ActorRecord> records;
      for (const runtime::ActorStatus& actor : sim.actors(id))
        records.push_back({actor.address, std::string(actor.type), actor.alive,
                           actor.end ? to_string(*actor.end) : std::string()});
      return records;
    }
    void introduce(NodeId, std::uint64_t, const std::string& name,
                   const std::vector<std::string>&) override {
      known.insert(name);
    }
    void condemn(NodeId node, std::uint64_t incarnation, const Error& reason) override {
      // An earlier process of a node that lives has no link any more.
      if (sim.incarnation(node) == incarnation) sim.sever(id, node, reason);
    }

    runtime::Simulation& sim;
    NodeId id;
    std::set<std::string> known;
    std::vector<Error> fenced;
  };

  Node& node(NodeId id) {
    return *std::ranges::find_if(nodes, [&](const Node& node) { return node.id == id; });
  }

  actors::KeptInMemory kept;
  runtime::Simulation sim;
  std::deque<Node> nodes;
  NodeId head;

 private:
  void run_agent(NodeId node) {
    Node& around = nodes.emplace_back(sim, node);
    spawn_fixed(
        node,
        actors::node_agent_type(
            {around, around, [&around](const Error& why) { around.fenced.push_back(why); }}),
        actors::node_agent_number);
  }
  void lead() {
    spawn_fixed(
        head,
        actors::membership_type({.wall_clock_us = [] { return std::int64_t{7}; }, .keeper = &kept}),
        actors::membership_number);
    spawn_fixed(head, actors::directory_type(&kept), actors::directory_number);
    spawn_fixed(head, actors::supervisor_type(*runtime::find_placement_policy("spread"), &kept),
                actors::supervisor_number);
  }
  ActorAddress fixed(std::uint64_t number) {
    return ActorAddress{head, sim.incarnation(head), number};
  }
  void spawn_fixed(NodeId node, const runtime::ActorType& type, std::uint64_t number) {
    BOOST_REQUIRE(sim.spawn(node, type, {}, number));
  }
};

}  // namespace slime::tests
