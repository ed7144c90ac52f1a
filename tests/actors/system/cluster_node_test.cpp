#include "actors/system/cluster_node.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <string>

#include "tests/cluster/probe.hpp"
#include "tests/cluster/test_settings.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using actors::ClusterNode;
using runtime::Message;

namespace cluster_node_test {

constexpr const char* anywhere = "tcp:127.0.0.1:0";

struct Head {
  Head()
      : node(ClusterNode::start_head(cluster_settings("head", anywhere, "head"), {}).value()),
        endpoint(node->node().endpoints().front()) {}

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

}  // namespace cluster_node_test

BOOST_AUTO_TEST_SUITE(cluster_node_test)

BOOST_AUTO_TEST_CASE(a_head_alone_is_a_cluster) {
  BOOST_TEST(Head().members() == "head alive, ");
}

BOOST_AUTO_TEST_CASE(an_unknown_placement_policy_is_refused) {
  auto settings = cluster_settings("head", anywhere, "head");
  settings.placement = "scatter";
  BOOST_TEST((ClusterNode::start_head(settings, {}).error().code == Errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(who_joins_can_ask_the_head_and_who_leaves_is_gone) {
  Head head;
  auto worker =
      ClusterNode::join(cluster_settings("worker", anywhere, "worker"), head.endpoint, {});
  BOOST_REQUIRE(worker);
  BOOST_TEST(head.members() == "head alive, worker alive, ");
  BOOST_TEST(
      bool((*worker)->node().call((*worker)->directory(), Message<schema::ListNames>::make(), 5s)));
  BOOST_TEST(bool((*worker)->leave("done")));
  BOOST_TEST(head.members() == "head alive, worker left, ");
}

BOOST_AUTO_TEST_CASE(another_token_is_refused_at_once) {
  Head head;
  auto settings = cluster_settings("worker", anywhere, "worker");
  settings.node.link.token = "a guess";
  const auto joined = ClusterNode::join(settings, head.endpoint, {});
  BOOST_REQUIRE(!joined);
  BOOST_TEST((joined.error().code == Errc::refused));
}

BOOST_AUTO_TEST_CASE(without_a_head_joining_ends_in_time_and_names_the_endpoint) {
  auto settings = cluster_settings("worker", anywhere, "worker");
  settings.join_within = 300ms;
  const Instant before = monotonic_now();
  const auto joined = ClusterNode::join(settings, runtime::Endpoint{"tcp:127.0.0.1:1"}, {});
  BOOST_TEST((monotonic_now() - before < 3s));
  BOOST_REQUIRE(!joined);
  BOOST_TEST((joined.error().code == Errc::unavailable));
  BOOST_TEST(joined.error().context.find("tcp:127.0.0.1:1") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
