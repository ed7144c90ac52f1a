#include "tools/slime/chaos/directory_watch.hpp"

#include <boost/test/unit_test.hpp>
#include <thread>

#include "actors/system/cluster_node.hpp"
#include "runtime/wire/address.hpp"
#include "tests/cluster/test_settings.hpp"
#include "tools/slime/cluster_access.hpp"

using namespace slime;
using namespace slime::tests;
using namespace slime::tools;
using namespace std::chrono_literals;
using runtime::Message;

namespace directory_watch_test {

std::unique_ptr<actors::ClusterNode> head() {
  auto settings = cluster_settings("head", "tcp:127.0.0.1:0", "head");
  settings.node.link.cluster_id = cluster_id;
  return actors::ClusterNode::start_head(std::move(settings), {}).value();
}

void bind(actors::ClusterNode& node, const ActorAddress& address) {
  const auto bind = Message<schema::Register>::make([&](schema::Register::Builder root) {
    root.setName("a");
    root.setReplace(true);
    runtime::write_address(root.initAddress(), address);
  });
  BOOST_REQUIRE(bool(node.node().call(node.directory(), bind, 5s)));
}

}  // namespace directory_watch_test

BOOST_AUTO_TEST_SUITE(directory_watch_test)

BOOST_AUTO_TEST_CASE(it_sees_names_move_and_what_may_not_be) {
  const auto node = directory_watch_test::head();
  const std::string token = cluster_settings("", "", "").node.link.token;
  DirectoryWatch watch(node->node().endpoints().front().text, token);
  const auto self = node->node().identity();
  const auto at = [&](std::uint64_t number) {
    return ActorAddress{self.node, self.incarnation, number};
  };
  // System actors are as good as others.
  for (const std::uint64_t number : {1U, 2U, 1U}) {
    directory_watch_test::bind(*node, at(number));
    std::this_thread::sleep_for(500ms);
  }
  const DirectoryHistory seen = watch.stop();
  BOOST_TEST(seen.looks() > 3U);
  BOOST_TEST(seen.names() == 1U);
  BOOST_TEST(seen.moves() == 2U);
  BOOST_REQUIRE(seen.violation().has_value());
  BOOST_TEST(seen.violation()->find("a went back to") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(where_nobody_listens_nothing_is_seen) {
  DirectoryWatch watch("unix:/nonexistent/head", "secret");
  std::this_thread::sleep_for(100ms);
  BOOST_TEST(watch.stop().looks() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
