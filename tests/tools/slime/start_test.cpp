#include "tools/slime/start.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <memory>
#include <thread>

#include "tests/support/scrape.hpp"
#include "tests/tools/slime/foreign_listener.hpp"
#include "tests/tools/slime/started_cluster.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;

namespace start_test {

constexpr Duration patience = 20s;

/// Sends `bytes` to a port of this machine, as somebody who has come to the wrong door.
void send_garbage(const std::string& address, const std::string& bytes) {
  const int port = std::stoi(address.substr(address.rfind(':') + 1));
  const int descriptor = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  BOOST_REQUIRE(::connect(descriptor, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
  BOOST_REQUIRE(::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL) > 0);
  ::close(descriptor);
}

/// Signals a process as somebody who is not its parent.
void signal_from_elsewhere(const SlimeProcess& process, int number) {
  const pid_t other = ::fork();
  if (other == 0) {
    process.signal(number);
    ::_exit(0);
  }
  BOOST_REQUIRE(::waitpid(other, nullptr, 0) == other);
}

}  // namespace start_test

BOOST_FIXTURE_TEST_SUITE(start_test, StartedCluster)

BOOST_AUTO_TEST_CASE(a_head_tells_how_to_join_and_a_node_does_so) {
  BOOST_TEST(head.says("slime start --join " + address + " --session " + session, patience));
  BOOST_TEST(head.says("other machines cannot reach it", patience));
  SlimeProcess node(*this, start({"--join", address, "--name", "one"}));
  BOOST_REQUIRE(node.says("one listens at tcp:127.0.0.1:", patience));
  node.signal(SIGTERM);
  BOOST_TEST(node.wait(patience).value_or(-1) == 0);
  head.signal(SIGINT);
  BOOST_TEST(head.wait(patience).value_or(-1) == 0);
}

BOOST_AUTO_TEST_CASE(a_node_of_a_run_leaves_it_to_its_parent_to_end_it_in_time) {
  const auto node = [&](const std::string& name, const std::string& grace) {
    return std::make_unique<SlimeProcess>(
        *this, start({"--join", address, "--name", name, "--parent-grace", grace}));
  };
  const auto one = node("one", "60"), two = node("two", "60"), three = node("three", "0.5");
  for (const auto& each : {&one, &two, &three}) {
    BOOST_REQUIRE((*each)->says("listens at", patience));
    signal_from_elsewhere(**each, SIGTERM);
  }
  BOOST_TEST(three->wait(patience).value_or(-1) == 0);
  BOOST_TEST(!one->wait(0s).has_value());
  one->signal(SIGTERM);
  BOOST_TEST(one->wait(patience).value_or(-1) == 0);
  BOOST_TEST(!two->wait(0s).has_value());
  signal_from_elsewhere(*two, SIGINT);
  BOOST_TEST(two->wait(patience).value_or(-1) == 0);
}

BOOST_AUTO_TEST_CASE(a_node_ends_when_its_head_dies_and_does_not_come_back) {
  SlimeProcess node(*this, start({"--join", address, "--head-wait", "0.5"}));
  BOOST_REQUIRE(node.says("listens at", patience));
  head.signal(SIGKILL);
  BOOST_TEST(node.wait(patience).value_or(-1) == 7);
  BOOST_TEST(node.says("slime start: the head head", 0s));
}

// Goal: a node that is asked to end ends well though its head is lost at the same moment, and
// though it is asked more than once. Method: it stands still while both happen; when it goes on it
// sees the death and the signals in one go. Then it is signalled for as long as it takes.
BOOST_AUTO_TEST_CASE(a_node_that_is_asked_to_end_while_its_head_dies_ends_well) {
  const auto impatient = [this](std::vector<std::string> more) {
    more.insert(more.end(), {"--join", address, "--head-wait", "0"});
    return start(std::move(more));
  };
  SlimeProcess node(*this, impatient({"--parent-grace", "60"}));
  SlimeProcess other(*this, impatient({}));
  for (SlimeProcess* each : {&node, &other}) {
    BOOST_REQUIRE(each->says("listens at", patience));
    each->signal(SIGSTOP);
  }
  head.signal(SIGKILL);
  BOOST_REQUIRE(head.wait(patience).has_value());
  signal_from_elsewhere(node, SIGTERM);
  other.signal(SIGTERM);
  for (SlimeProcess* each : {&node, &other}) each->signal(SIGCONT);
  const Instant deadline = monotonic_now() + patience;
  while (!other.wait(0s) && monotonic_now() < deadline) {
    other.signal(SIGTERM);
    std::this_thread::sleep_for(1ms);
  }
  BOOST_TEST(other.wait(0s).value_or(-1) == 0);
  // This one leaves its end to its parent, who says nothing: it is the head's death that ends it.
  BOOST_TEST(node.wait(patience).value_or(-1) == 0);
}

BOOST_AUTO_TEST_CASE(metrics_are_served_and_move) {
  BOOST_TEST(refuses(*this, {"start", "--head", "--session", no_session(), "--metrics", "here"}, 2,
                     "serving metrics at 127.0.0.1:here"));
  SlimeProcess node(*this, start({"--join", address, "--name", "one", "--metrics", "127.0.0.1:0"}));
  const std::string announced = "one serves metrics at ";
  BOOST_REQUIRE(node.says("/metrics\n", patience));
  const std::string text = node.out();
  const std::size_t from = text.find(announced) + announced.size();
  const std::string url = text.substr(from, text.find('\n', from) - from);
  BOOST_TEST(url.starts_with("http://127.0.0.1:"));
  const std::string place = url.substr(7, url.rfind('/') - 7);
  BOOST_TEST(refuses(*this, {"start", "--head", "--session", no_session(), "--metrics", place}, 5,
                     "by pid " + std::to_string(node.pid()) + " (slime)"));

  const auto value = [&url](const char* name) { return value_in(scrape(url), name).value_or(-1); };
  BOOST_TEST(value("slime_link_connected_peers") == 1);
  BOOST_TEST(value("slime_actors") >= 1);
  BOOST_TEST(value("slime_asks_total") >= 1);
  // Heartbeats at least.
  const double sent = value("slime_link_sent_frames_total");
  const double received = value("slime_link_received_bytes_total");
  const Instant deadline = monotonic_now() + patience;
  while ((value("slime_link_sent_frames_total") <= sent ||
          value("slime_link_received_bytes_total") <= received) &&
         monotonic_now() < deadline)
    std::this_thread::sleep_for(50ms);
  BOOST_TEST(value("slime_link_sent_frames_total") > sent);
  BOOST_TEST(value("slime_link_received_bytes_total") > received);
  node.signal(SIGTERM);
  BOOST_TEST(node.wait(patience).value_or(-1) == 0);
}

BOOST_AUTO_TEST_CASE(a_port_or_a_name_or_a_session_is_given_once) {
  const std::vector<std::string> twin{"start", "--head", "--session", no_session(), "--listen"};
  const auto at = [&twin](const std::string& endpoint) {
    auto arguments = twin;
    arguments.push_back(endpoint);
    return arguments;
  };
  const std::string holder = "by pid " + std::to_string(head.pid()) + " (slime)";
  BOOST_TEST(refuses(*this, at(address), 5, "listening on " + address));
  BOOST_TEST(refuses(*this, at(address), 5, holder));
  BOOST_TEST(refuses(*this, at("tcp:0.0.0.0" + address.substr(address.rfind(':'))), 5, holder));
  BOOST_TEST(refuses(*this, start({"--head"}), 5, "a cluster runs there already"));
  BOOST_TEST(refuses(*this, start({"--join", address, "--name", "head"}), 5, "the name is in use"));
}

BOOST_AUTO_TEST_CASE(another_token_is_refused) {
  const std::string file = write("token", "another\n").string();
  BOOST_TEST(refuses(*this, start({"--join", address, "--token-file", file}), 11, "another token"));
  BOOST_TEST(refuses(*this, start({"--join", address, "--token-file", "/no/file"}), 4, "/no/file"));
  BOOST_TEST(refuses(*this, {"start", "--join", address, "--session", no_session()}, 11,
                     "no token was shown"));
}

BOOST_AUTO_TEST_CASE(a_head_of_another_version_or_of_no_version_is_told_apart_from_a_locked_door) {
  const ForeignListener other(other_version()), web("HTTP/1.1 400 Bad Request\r\n\r\n");
  BOOST_TEST(refuses(*this, start({"--join", other.address()}), 10,
                     "another version of the protocol: 1 here, 999 there"));
  BOOST_TEST(refuses(*this, start({"--join", web.address()}), 10, "does not speak this protocol"));
}

BOOST_AUTO_TEST_CASE(garbage_on_the_port_harms_nobody) {
  send_garbage(address, std::string(100, '\xff'));
  send_garbage(address, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  // The right words of another version of the protocol: magic number, then version 999.
  send_garbage(address, other_version());
  SlimeProcess node(*this, start({"--join", address, "--name", "one"}));
  BOOST_TEST(node.says("one listens at", patience));
}

BOOST_AUTO_TEST_CASE(a_head_that_is_not_there_is_waited_for_and_then_given_up) {
  const std::string nowhere = "unix:" + (path() / "nowhere").string();
  BOOST_TEST(refuses(*this, start({"--join", nowhere, "--within", "0.3"}), 7, "no head there"));
  BOOST_TEST(refuses(*this,
                     {"start", "--join", nowhere, "--within", "0.3", "--session", no_session()}, 7,
                     "no head there"));
  BOOST_TEST(refuses(*this, start({"--join", "no-such-host.invalid:1"}), 7, "does not resolve"));
}

BOOST_AUTO_TEST_CASE(a_wrong_command_line_is_refused_in_one_line) {
  BOOST_TEST(refuses(*this, start({}), 2, "give one of them"));
  BOOST_TEST(refuses(*this, start({"--head", "--join", address}), 2, "exclude"));
  BOOST_TEST(refuses(*this, start({"--head", "--name", "../up"}), 2, "names a folder"));
  BOOST_TEST(refuses(*this, start({"--join", "udp"}), 2, "there is no port"));
  BOOST_TEST(refuses(*this, {"start", "--join", "foo", "--session", no_session()}, 2, "no port"));
  BOOST_TEST(refuses(*this, start({"--head", "--lisen", "x"}), 2, "did you mean \"--listen\"?"));
}

BOOST_AUTO_TEST_CASE(a_mistyped_role_is_refused_with_the_nearest) {
  BOOST_TEST(refuses(*this, start({"--join", address, "--role", "wroker"}), 2,
                     "--role: \"wroker\" is no role; did you mean \"worker\"?"));
}

BOOST_AUTO_TEST_SUITE_END()
