// A durable actor in a cluster of real processes: its node and its head are killed, and its state
// and the answers that it gave are as they were.
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "actors/system/cluster_node.hpp"
#include "runtime/wire/address.hpp"
#include "tests/cluster/child_node.hpp"
#include "tests/cluster/test_settings.hpp"
#include "tests/support/counter.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using runtime::Message;

namespace durable_test {

constexpr const char* anywhere = "tcp:127.0.0.1:0";

/// A head that keeps its state, two workers of which one runs a counter, and this process as a
/// member to ask from.
struct Fixture {
  Fixture() {
    start_head(anywhere);
    for (const std::string name : {"worker-0", "worker-1"}) {
      workers.push_back(std::make_unique<ChildNode>(name, "worker", dir.path() / name, endpoint,
                                                    anywhere, std::vector<std::string>{"wait"}));
      BOOST_REQUIRE(workers.back()->ready());
    }
    auto settings = cluster_settings("observer", anywhere, "observer");
    settings.head_wait = 60s;
    self = actors::ClusterNode::join(std::move(settings), runtime::Endpoint{endpoint}, {}).value();
    const auto spec = counter_spec("till");
    BOOST_REQUIRE(self->node().call(
        self->supervisor(), Message<schema::Supervise>::make([&](schema::Supervise::Builder root) {
          root.setName("till");
          root.setRole("worker");
          auto spawn = root.initSpawn();
          spawn.setType("counter");
          spawn.setSpecType(runtime::type_id<schema::CounterSpec>());
          const auto bytes = spec.words().as_bytes();
          spawn.setSpec(
              kj::arrayPtr(reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()));
        }),
        20s));
  }

  void start_head(const std::string& place) {
    head.emplace("head", "head", dir.path() / "head.log", "", place,
                 std::vector<std::string>{"state=" + (dir.path() / "state").string()});
    endpoint = head->ready().value();
  }
  void kill_head() {
    head->signal(SIGKILL);
    BOOST_REQUIRE(head->wait(10s));
  }
  /// Kills the worker that runs the counter.
  void kill_node_of_counter() {
    for (int i = 0; i < 400; ++i, std::this_thread::sleep_for(50ms)) {
      const auto found = look_up();
      if (!found) continue;
      const auto members =
          self->node().call(self->membership(), Message<schema::GetMembers>::make(), 5s).value();
      members.read([&](schema::Members::Reader root) {
        for (const auto member : root.getMembers())
          for (const auto& worker : workers)
            if (runtime::read_node(member.getNode()) == found->node &&
                static_cast<pid_t>(member.getPid()) == worker->pid())
              worker->signal(SIGKILL);
      });
      return;
    }
    BOOST_FAIL("nobody has the counter's name");
  }

  std::optional<ActorAddress> look_up() {
    const auto found = self->node().call(
        self->directory(),
        Message<schema::Lookup>::make([](schema::Lookup::Builder root) { root.setName("till"); }),
        1s);
    if (!found) return std::nullopt;
    return found->read([](auto root) { return runtime::read_address(root.getAddress()); });
  }
  /// Adds one under this id, again and again until it is answered; 0: it never was. Any thread.
  std::uint64_t call(std::uint64_t number) {
    const auto message = runtime::once(runtime::CallId{"customer", number}, add(1));
    for (int i = 0; i < 300; ++i, std::this_thread::sleep_for(100ms)) {
      const auto found = look_up();
      if (!found) continue;
      const auto count =
          self->node().call(runtime::once<schema::Add>(CounterRef{*found}), message, 2s);
      if (count) return value_of(*count);
    }
    return 0;
  }

  TempDir dir;
  std::optional<ChildNode> head;
  std::string endpoint;
  std::vector<std::unique_ptr<ChildNode>> workers;
  std::unique_ptr<actors::ClusterNode> self;
};

}  // namespace durable_test

BOOST_FIXTURE_TEST_SUITE(durable_test, Fixture)

BOOST_AUTO_TEST_CASE(a_counter_goes_on_elsewhere_when_its_node_is_killed) {
  BOOST_TEST(call(1) == 1u);
  BOOST_TEST(call(2) == 2u);
  const auto before = look_up();
  kill_node_of_counter();
  BOOST_TEST(call(3) == 3u);
  BOOST_TEST((look_up() != before));
  BOOST_TEST(call(2) == 2u);
  BOOST_TEST(call(4) == 4u);
}

// Goal: every call takes effect once, whoever is killed meanwhile. Method: calls one after the
// other, each repeated until it is answered, while the head is killed and comes back, and then the
// counter's node is.
BOOST_AUTO_TEST_CASE(no_call_is_lost_or_done_twice_when_the_head_and_its_node_are_killed) {
  constexpr std::uint64_t calls = 300;
  std::vector<std::uint64_t> answers;
  std::atomic<std::uint64_t> made = 0;
  std::thread customer([&] {
    for (std::uint64_t number = 1; number <= calls; ++number) {
      answers.push_back(call(number));
      made = number;
    }
  });
  const auto come_to = [&](std::uint64_t number) {
    for (int i = 0; i < 6000 && made < number; ++i) std::this_thread::sleep_for(5ms);
  };
  come_to(50);
  kill_head();
  start_head(endpoint);
  come_to(150);
  kill_node_of_counter();
  customer.join();
  for (std::uint64_t number = 1; number <= calls; ++number)
    BOOST_TEST(answers[number - 1] == number);
  // The replies are kept, too.
  BOOST_TEST(call(calls) == calls);
  BOOST_TEST(call(calls - 10) == calls - 10);
}

BOOST_AUTO_TEST_SUITE_END()
