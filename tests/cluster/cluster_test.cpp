// Whole clusters of real processes, killed and stopped.
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <csignal>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <thread>

#include "actors/system/cluster_node.hpp"
#include "runtime/wire/address.hpp"
#include "tests/cluster/child_node.hpp"
#include "tests/cluster/probe.hpp"
#include "tests/cluster/test_settings.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using runtime::Message;

namespace cluster_test {

/// How much later than the detection time things may happen on a busy machine.
constexpr Duration slack = 4s;

struct MemberRow {
  ActorAddress agent;
  std::string state;
  std::string reason;
};

/// A head and two workers in processes of their own, and this process as a member to ask from.
struct Fixture {
  Fixture() : head("head", "head", dir.path() / "head.log") {
    endpoint = head.ready().value();
    first.emplace("worker-0", "worker", dir.path() / "worker-0.log", endpoint);
    second.emplace("worker-1", "worker", dir.path() / "worker-1.log", endpoint);
    BOOST_REQUIRE(first->ready());
    BOOST_REQUIRE(second->ready());
    auto joined =
        actors::ClusterNode::join(cluster_settings("observer", "tcp:127.0.0.1:0", "observer"),
                                  runtime::Endpoint{endpoint}, {});
    BOOST_REQUIRE(joined);
    self = std::move(*joined);
  }

  MemberRow member(const std::string& name) {
    static constexpr const char* states[] = {"alive", "suspect", "dead", "left"};
    MemberRow row;
    const auto members =
        self->node().call(self->membership(), Message<schema::GetMembers>::make(), 5s);
    BOOST_REQUIRE(members);
    members->read([&](schema::Members::Reader root) {
      for (const auto member : root.getMembers()) {
        if (member.getName() != kj::StringPtr(name.c_str())) continue;
        row.agent =
            actors::node_agent_of(runtime::read_node(member.getNode()), member.getIncarnation())
                .address;
        row.state = states[static_cast<int>(member.getState())];
        row.reason = member.getReason();
      }
    });
    return row;
  }

  ProbeRef spawn_on(const std::string& name) {
    const auto spec = probe_spec();
    const auto spawned = self->node().call(
        actors::NodeAgent{member(name).agent},
        Message<schema::Spawn>::make([&](schema::Spawn::Builder root) { fill(root, spec); }), 5s);
    BOOST_REQUIRE(spawned);
    return ProbeRef{
        spawned->read([](auto root) { return runtime::read_address(root.getAddress()); })};
  }

  ProbeRef supervise(const std::string& name) {
    const auto spec = probe_spec();
    const auto supervised = self->node().call(
        self->supervisor(), Message<schema::Supervise>::make([&](schema::Supervise::Builder root) {
          root.setName(name);
          root.setRole("worker");
          fill(root.initSpawn(), spec);
        }),
        10s);
    BOOST_REQUIRE(supervised);
    return ProbeRef{
        supervised->read([](auto root) { return runtime::read_address(root.getAddress()); })};
  }

  std::optional<ActorAddress> look_up(const std::string& name) {
    const auto found = self->node().call(
        self->directory(),
        Message<schema::Lookup>::make([&](schema::Lookup::Builder root) { root.setName(name); }),
        5s);
    if (!found) return std::nullopt;
    return found->read([](auto root) { return runtime::read_address(root.getAddress()); });
  }

  static void fill(schema::Spawn::Builder root, const Message<schema::ProbeSpec>& spec) {
    root.setType("probe");
    root.setSpecType(runtime::type_id<schema::ProbeSpec>());
    const auto bytes = spec.words().as_bytes();
    root.setSpec(kj::arrayPtr(reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()));
  }

  static bool eventually(Duration within, const std::function<bool()>& true_now) {
    const Instant deadline = monotonic_now() + within;
    while (!true_now()) {
      if (monotonic_now() > deadline) return false;
      std::this_thread::sleep_for(50ms);
    }
    return true;
  }

  TempDir dir;
  ChildNode head;
  std::string endpoint;
  std::optional<ChildNode> first;
  std::optional<ChildNode> second;
  std::unique_ptr<actors::ClusterNode> self;
};

bool mentions(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace cluster_test

BOOST_FIXTURE_TEST_SUITE(cluster_test, Fixture)

BOOST_AUTO_TEST_CASE(actors_are_spawned_anywhere_and_talk_across_nodes) {
  const ProbeRef near = spawn_on("worker-0");
  const ProbeRef far = spawn_on("worker-1");
  BOOST_TEST(text_of(self->node().call(near, say("hello"), 5s).value()) == "hello");
  BOOST_TEST(text_of(self->node().call(near, relay(far.address, 0, 5000), 5s).value()) ==
             "relayed");
  auto death = std::async(std::launch::async,
                          [&] { return self->node().call(near, watch(far.address), 20s); });
  BOOST_REQUIRE(eventually(5s, [&] { return bool(self->node().call(near, say("?"), 5s)); }));
  BOOST_REQUIRE(self->node().tell(far.address, crash("out of cheese").any()));
  BOOST_TEST(mentions(text_of(death.get().value()), "out of cheese"));
  const auto asked = self->node().call(near, relay(far.address, 0, 5000), 10s);
  BOOST_TEST((asked.error().code == Errc::unavailable));
}

BOOST_AUTO_TEST_CASE(a_killed_node_fails_its_calls_in_time_and_its_actors_move) {
  const ProbeRef moved = supervise("coordinator");
  const bool on_first = moved.address.node == member("worker-0").agent.node;
  ChildNode& victim = on_first ? *first : *second;
  const std::string name = on_first ? "worker-0" : "worker-1";
  const std::string other = on_first ? "worker-1" : "worker-0";
  auto pending = std::async(
      std::launch::async, [&] { return self->node().call(moved, say("never", UINT32_MAX), 60s); });
  BOOST_REQUIRE(self->node().call(moved, say("there?"), 5s));

  const Instant killed = monotonic_now();
  victim.signal(SIGKILL);
  const auto in_flight = pending.get();
  BOOST_TEST((monotonic_now() - killed < dead_after + slack));
  BOOST_TEST((in_flight.error().code == Errc::unavailable));
  BOOST_TEST(mentions(in_flight.error().context, name));
  const auto later = self->node().call(moved, say("there?"), 60s);
  BOOST_TEST((monotonic_now() - killed < dead_after + slack));
  BOOST_TEST((later.error().code == Errc::unavailable));
  BOOST_TEST(mentions(later.error().context, name));

  BOOST_TEST(eventually(dead_after + slack, [&] { return member(name).state == "dead"; }));
  BOOST_TEST(member(name).reason != "");
  BOOST_TEST(eventually(slack, [&] {
    const auto found = look_up("coordinator");
    return found && found->node == member(other).agent.node;
  }));
  BOOST_TEST(bool(self->node().call(ProbeRef{look_up("coordinator").value()}, say("hello"), 5s)));

  ChildNode again(name, "worker", dir.path() / "again.log", endpoint);
  BOOST_TEST(bool(again.ready()));
  BOOST_TEST(member(name).state == "alive");
}

BOOST_AUTO_TEST_CASE(a_node_stopped_for_half_the_time_lives_and_for_twice_the_time_is_fenced) {
  const ProbeRef probe = spawn_on("worker-0");
  first->signal(SIGSTOP);
  std::this_thread::sleep_for(dead_after / 2);
  first->signal(SIGCONT);
  BOOST_TEST(eventually(slack, [&] { return member("worker-0").state == "alive"; }));
  BOOST_TEST(bool(self->node().call(probe, say("still there"), 5s)));

  first->signal(SIGSTOP);
  BOOST_TEST(eventually(dead_after + slack, [&] { return member("worker-0").state == "dead"; }));
  std::this_thread::sleep_for(dead_after);
  first->signal(SIGCONT);
  const auto exit = first->wait(dead_after + slack);
  BOOST_TEST(exit.value_or(-99) == 3);
  BOOST_TEST(mentions(first->log(), "this node ends: stale"));
  BOOST_TEST(member("worker-0").state == "dead");
  BOOST_TEST((self->node().call(probe, say("hello"), 5s).error().code == Errc::unavailable));
}

BOOST_AUTO_TEST_CASE(a_node_that_leaves_is_gone_at_once) {
  first->signal(SIGTERM);
  BOOST_TEST(first->wait(5s).value_or(-99) == 0);
  BOOST_TEST(member("worker-0").state == "left");
  BOOST_TEST(mentions(member("worker-0").reason, "asked to end"));
}

BOOST_AUTO_TEST_CASE(without_their_head_all_nodes_end_and_say_so) {
  head.signal(SIGKILL);
  for (ChildNode* child : {&*first, &*second}) {
    BOOST_TEST(child->wait(dead_after + slack).value_or(-99) == 3);
    BOOST_TEST(mentions(child->log(), "this node ends: unavailable: the head head"));
  }
}

BOOST_AUTO_TEST_CASE(a_name_in_use_is_refused_and_a_host_name_is_as_good_as_an_address) {
  ChildNode twin("worker-0", "worker", dir.path() / "twin.log", endpoint);
  BOOST_TEST(!twin.ready());
  BOOST_TEST(twin.wait(5s).value_or(-99) == 1);
  BOOST_TEST(mentions(twin.log(), "already_exists"));
  BOOST_TEST(mentions(twin.log(), "worker-0"));

  const std::string port = endpoint.substr(endpoint.rfind(':'));
  ChildNode by_name("worker-2", "worker", dir.path() / "by_name.log", "tcp:localhost" + port);
  BOOST_TEST(bool(by_name.ready()));

  const Instant before = monotonic_now();
  ChildNode lost("worker-3", "worker", dir.path() / "lost.log", "tcp:no-such-host.invalid" + port);
  BOOST_TEST(lost.wait(10s).value_or(-99) == 1);
  BOOST_TEST((monotonic_now() - before < 10s));
  BOOST_TEST(mentions(lost.log(), "no-such-host.invalid"));
}

// Goal: nodes may be started in any order. Method: a worker is told of a Unix socket where a head
// is started only later.
BOOST_FIXTURE_TEST_CASE(a_node_waits_for_a_head_that_is_not_there_yet, TempDir) {
  const std::string socket = "unix:" + (path() / "head.socket").string();
  ChildNode worker("worker-0", "worker", path() / "worker.log", socket);
  BOOST_TEST(Fixture::eventually(
      10s, [&] { return mentions(worker.log(), "waiting for head at " + socket); }));
  ChildNode head("head", "head", path() / "head.log", "", socket);
  BOOST_REQUIRE(head.ready());
  BOOST_TEST(bool(worker.ready()));
}

BOOST_AUTO_TEST_SUITE_END()
