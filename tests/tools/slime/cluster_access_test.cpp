#include "tools/slime/cluster_access.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/tools/slime/one_node_cluster.hpp"

using namespace slime;
using namespace slime::tests;
using namespace slime::tools;

BOOST_FIXTURE_TEST_SUITE(cluster_access_test, OneNodeCluster)

BOOST_AUTO_TEST_CASE(a_host_and_port_are_enough) {
  BOOST_TEST(endpoint_of("node:4711").text == "tcp:node:4711");
  BOOST_TEST(endpoint_of("tcp:node:4711").text == "tcp:node:4711");
  BOOST_TEST(endpoint_of("unix:/a").text == "unix:/a");
}

BOOST_AUTO_TEST_CASE(a_client_speaks_to_the_head_without_being_a_member) {
  const auto client = ClusterClient::connect(endpoint, token, {});
  BOOST_REQUIRE(bool(client));
  const ClusterAccess access = (*client)->access();
  const auto members = access.node.call(
      access.membership, runtime::Message<schema::GetMembers>::make(), std::chrono::seconds(5));
  BOOST_REQUIRE(bool(members));
  members->read([](auto read) { BOOST_TEST(read.getMembers().size() == 1U); });
}

BOOST_AUTO_TEST_CASE(who_cannot_be_spoken_to_is_told_apart) {
  BOOST_TEST((ClusterClient::connect(endpoint, "another", {}).error().code == Errc::refused));
  const auto nobody = ClusterClient::connect({"unix:" + (path() / "nobody").string()}, token, {});
  BOOST_TEST((nobody.error().code == Errc::unavailable));
  BOOST_TEST((ClusterClient::connect({"udp:1"}, token, {}).error().code == Errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(the_next_process_of_a_head_is_the_same_cluster_and_another_head_is_not) {
  const auto start = [this](std::uint64_t incarnation, NodeId node) {
    head.reset();
    actors::ClusterSettings settings;
    settings.node.link.self = {node, incarnation, "head"};
    settings.node.link.cluster_id = cluster_id;
    settings.node.link.token = token;
    settings.node.link.listen = {endpoint};
    head = actors::ClusterNode::start_head(std::move(settings), {}).value();
  };
  start(1, {1, 2});
  const auto client = ClusterClient::connect(endpoint, token, {}).value();
  BOOST_TEST((client->look_again()->membership.address == head->membership().address));
  start(2, {1, 2});
  BOOST_TEST((client->look_again()->membership.address == head->membership().address));
  BOOST_TEST(client->access().membership.address.incarnation == 2u);
  start(3, {3, 4});
  BOOST_TEST((client->look_again().error().code == Errc::not_found));
  head.reset();
  BOOST_TEST((client->look_again().error().code == Errc::unavailable));
}

BOOST_AUTO_TEST_CASE(a_node_that_is_no_head_is_refused) {
  actors::ClusterSettings settings;
  settings.node.link.self.name = "node";
  settings.node.link.cluster_id = cluster_id;
  settings.node.link.token = token;
  settings.node.link.listen = {{"unix:" + (path() / "node").string()}};
  const auto node = actors::ClusterNode::join(settings, endpoint, {});
  BOOST_REQUIRE(bool(node));
  const auto client = ClusterClient::connect(settings.node.link.listen[0], token, {});
  BOOST_REQUIRE(!client);
  BOOST_TEST((client.error().code == Errc::not_found));
  BOOST_TEST(client.error().context.find("does not answer as a head") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
