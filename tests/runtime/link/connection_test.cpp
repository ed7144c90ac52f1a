#include "runtime/link/connection.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <optional>

#include "runtime/link/control.hpp"
#include "tests/runtime/link/test_node.hpp"

using namespace slime;
using namespace slime::runtime;

namespace connection_test {

/// One end of a connected pair of sockets as a connection; the test holds the other end.
struct Connected {
  Connected() {
    int ends[2];
    BOOST_REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    other = ends[1];
    connection.emplace(
        context, peer,
        io.lowLevelProvider->wrapSocketFd(ends[0], kj::LowLevelAsyncIoProvider::TAKE_OWNERSHIP),
        Connection::Facts{1, true, 1 << 20},
        Connection::Callbacks{[this](Error why) { losses.push_back(std::move(why)); }, {}});
  }
  ~Connected() {
    connection.reset();
    context->peers.close({Errc::unavailable, "the test is over", 0});
    for (const auto& one : context->peers.all())
      one->die({Errc::unavailable, "the test is over", 0});
    context->doorbell.run_posted([](const char*) {});
  }
  void send_heartbeat() {
    BOOST_TEST(bool(peer->send(
        control_frame(true, [](schema::LinkControl::Builder out) { out.setHeartbeat(); }))));
    connection->write_more();
  }

  kj::AsyncIoContext io = kj::setupAsyncIo();
  TestNode::Config config;
  caf::actor_system system{config};
  bench::NumberedActors table{{NodeId{1, 1}, 1, "here"}};
  const std::shared_ptr<LinkContext> context =
      std::make_shared<LinkContext>(TestNode::defaults("here", 1), system, table);
  const std::shared_ptr<Peer> peer = [this] {
    context->peer_ready = [](const std::shared_ptr<Peer>&) {};
    return context->peers.at(context, NodeId{2, 2}, 1);
  }();
  int other = -1;
  std::vector<Error> losses;
  std::optional<Connection> connection;
};

}  // namespace connection_test

BOOST_FIXTURE_TEST_SUITE(connection_test, Connected)

BOOST_AUTO_TEST_CASE(what_is_sent_goes_out_at_once) {
  connection->start();
  send_heartbeat();
  io.waitScope.poll();
  char bytes[256];
  BOOST_TEST(::read(other, bytes, sizeof bytes) > 0);
  BOOST_TEST(connection->idle());
  BOOST_TEST(losses.empty());
  ::close(other);
}

BOOST_AUTO_TEST_CASE(the_other_side_may_be_gone_at_the_first_write) {
  connection->start();
  io.waitScope.poll();
  ::close(other);
  // Before the end of the stream is read. It must not throw: the caller serves other peers too.
  BOOST_CHECK_NO_THROW(send_heartbeat());
  BOOST_TEST(losses.empty());
  io.waitScope.poll();
  BOOST_TEST(losses.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
