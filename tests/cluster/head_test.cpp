// What becomes of a cluster's members when its head goes and another process of it comes, over real
// sockets in one process.
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <thread>

#include "actors/system/cluster_node.hpp"
#include "actors/system/head_store.hpp"
#include "tests/cluster/probe.hpp"
#include "tests/cluster/test_settings.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using actors::ClusterNode;
using runtime::Message;

namespace head_test {

constexpr const char* anywhere = "tcp:127.0.0.1:0";

struct Head {
  explicit Head(const std::string& place = anywhere, actors::HeadStore* store = nullptr)
      : node(start(place, store)), endpoint(node->node().endpoints().front()) {}

  static std::unique_ptr<ClusterNode> start(const std::string& place, actors::HeadStore* store) {
    auto settings = cluster_settings("head", place, "head");
    settings.store = store;
    return ClusterNode::start_head(std::move(settings), {}).value();
  }

  std::string members() {
    std::string all;
    node->node()
        .call(node->membership(), Message<schema::GetMembers>::make(), 5s)
        .value()
        .read([&](schema::Members::Reader root) {
          static constexpr const char* states[] = {"alive", "suspect", "dead", "left"};
          for (const auto member : root.getMembers())
            all += std::string(member.getName()) + " " +
                   states[static_cast<int>(member.getState())] + ", ";
        });
    return all;
  }

  std::unique_ptr<ClusterNode> node;
  runtime::Endpoint endpoint;
};

/// A head that keeps its state, and processes of it one after the other in this one.
struct Kept : TempDir {
  Kept() { start(); }

  void start() {
    store = actors::HeadStore::open(path() / "state", NodeId{1, 2}, wall_clock_us()).value();
    head.emplace(place, store.get());
    place = head->endpoint.text;
  }
  void end() {
    head.reset();
    store.reset();
  }
  std::unique_ptr<ClusterNode> worker(Duration wait) {
    auto settings = cluster_settings("worker", anywhere, "worker");
    settings.head_wait = wait;
    settings.on_end = [this](const Error& why) { ended.set_value(why); };
    return ClusterNode::join(std::move(settings), head->endpoint, {Probe::type()}).value();
  }
  Error why_ended() {
    auto told = ended.get_future();
    BOOST_REQUIRE((told.wait_for(20s) == std::future_status::ready));
    return told.get();
  }
  bool become(const std::string& members) {
    for (int i = 0; i < 2000 && head->members() != members; ++i) std::this_thread::sleep_for(10ms);
    BOOST_TEST_MESSAGE(head->members());
    return head->members() == members;
  }

  std::string place = anywhere;
  std::unique_ptr<actors::HeadStore> store;
  std::optional<Head> head;
  std::promise<Error> ended;
};

}  // namespace head_test

BOOST_FIXTURE_TEST_SUITE(head_test, Kept)

// Goal: a member and its actors go on under the next process of the head, in which the names of
// these actors still lead to them.
BOOST_AUTO_TEST_CASE(a_member_waits_for_the_next_process_of_its_head) {
  const auto worker = this->worker(60s);
  const auto actor = worker->node().spawn("probe", probe_spec("").any()).value();
  const auto bind = Message<schema::Register>::make([&](schema::Register::Builder root) {
    root.setName("probe");
    runtime::write_address(root.initAddress(), actor);
  });
  BOOST_REQUIRE(worker->node().call(worker->directory(), bind, 5s));
  end();
  std::this_thread::sleep_for(300ms);
  start();
  BOOST_TEST(become("head dead, worker alive, head alive, "));
  // Its link is there before it has joined over it.
  const auto there = [&] { return worker->directory().address == head->node->directory().address; };
  for (int i = 0; i < 2000 && !there(); ++i) std::this_thread::sleep_for(10ms);
  const auto found = worker->node().call(
      worker->directory(),
      Message<schema::Lookup>::make([](schema::Lookup::Builder root) { root.setName("probe"); }),
      5s);
  BOOST_REQUIRE(found);
  BOOST_TEST(
      (found->read([](auto root) { return runtime::read_address(root.getAddress()); }) == actor));
  const auto said = head->node->node().call(ProbeRef{actor}, say("hello"), 5s);
  BOOST_TEST(bool(said));
  BOOST_TEST((ended.get_future().wait_for(0s) == std::future_status::timeout));
}

BOOST_AUTO_TEST_CASE(a_member_that_the_next_process_cannot_reach_is_declared_dead) {
  auto worker = this->worker(60s);
  end();
  worker.reset();
  start();
  BOOST_TEST(become("head dead, worker dead, head alive, "));
}

BOOST_AUTO_TEST_CASE(a_head_without_the_state_is_another_head) {
  const auto worker = this->worker(60s);
  end();
  const Head another(place);
  const Error why = why_ended();
  BOOST_TEST((why.code == Errc::not_found));
  BOOST_TEST(why.context.find("another head is there") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_member_ends_when_its_head_stays_away) {
  const auto worker = this->worker(500ms);
  end();
  const Error why = why_ended();
  BOOST_TEST((why.code == Errc::unavailable));
  BOOST_TEST(why.context.find("did not come back") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_head_that_leaves_is_not_waited_for) {
  const auto worker = this->worker(60s);
  BOOST_TEST(bool(head->node->leave("done for today")));
  const Error why = why_ended();
  BOOST_TEST((why.code == Errc::unavailable));
  BOOST_TEST(why.context.find("left the cluster") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
