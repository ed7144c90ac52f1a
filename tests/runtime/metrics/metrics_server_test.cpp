#include "runtime/metrics/metrics_server.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>
#include <thread>

#include "runtime/metrics/metrics.hpp"
#include "tests/runtime/cluster/quiet_node.hpp"
#include "tests/support/scrape.hpp"

using namespace slime;
using namespace slime::runtime;
using namespace slime::tests;

namespace metrics_server_test {

std::unique_ptr<MetricsServer> open(std::string_view address) {
  auto server = MetricsServer::open(address);
  BOOST_REQUIRE_MESSAGE(bool(server), (server ? "" : to_string(server.error())));
  return std::move(*server);
}

/// "127.0.0.1:9464" of a server's URL.
std::string place_of(const MetricsServer& server) {
  const std::string_view url = server.url();
  return std::string(url.substr(7, url.rfind('/') - 7));
}

/// A client that sends a byte every now and then, and never a whole request; it gives up after a
/// while, so that no test hangs.
class Trickler {
 public:
  explicit Trickler(const MetricsServer& server) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const std::string place = place_of(server);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(place.substr(place.find(':') + 1))));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    BOOST_REQUIRE(::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
    thread_ = std::jthread([this](const std::stop_token& stop) {
      const std::string start = "GET /metrics?";
      for (std::size_t i = 0; i < 50 && !stop.stop_requested(); ++i) {
        const char next = i < start.size() ? start[i] : 'x';
        if (::send(socket_, &next, 1, MSG_NOSIGNAL) != 1) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
    });
  }
  ~Trickler() {
    thread_.request_stop();
    thread_.join();
    ::close(socket_);
  }
  Trickler(const Trickler&) = delete;
  Trickler& operator=(const Trickler&) = delete;

 private:
  int socket_;
  std::jthread thread_;
};

}  // namespace metrics_server_test

BOOST_AUTO_TEST_SUITE(metrics_server_test)

BOOST_AUTO_TEST_CASE(every_metric_is_told_with_its_kind_and_its_value) {
  const auto server = open("0");
  NodeStats stats;
  stats.actors_alive = 7;
  stats.link.traffic.bytes_in = 1'234'567'890'123;
  server->serve([&stats] { return stats; });
  const std::string text = scrape(server->url());
  for (const Metric& metric : metrics()) {
    const std::string name(metric.name);
    const std::string kind = metric.kind == MetricKind::counter ? "counter" : "gauge";
    BOOST_TEST(text.find("# TYPE " + name + " " + kind + "\n") != std::string::npos, name);
    BOOST_TEST(text.find("# HELP " + name + " ") != std::string::npos, name);
    BOOST_TEST(value_in(text, name).has_value(), name);
  }
  BOOST_TEST(value_in(text, "slime_actors").value() == 7);
  BOOST_TEST(value_in(text, "slime_link_received_bytes_total").value() == 1'234'567'890'123.0);
}

BOOST_AUTO_TEST_CASE(a_scrape_reads_the_node_as_it_is_then) {
  QuietNode quiet;
  const auto server = open("127.0.0.1:0");
  server->serve([&quiet] { return quiet.node->stats(); });
  const ProbeRef probe = quiet.probe();
  quiet.settle(probe);
  const std::string before = scrape(server->url());
  BOOST_TEST(value_in(before, "slime_actors").value() == 1);
  quiet.settle(probe);
  quiet.settle(probe);
  const std::string after = scrape(server->url());
  for (const char* name : {"slime_handled_messages_total", "slime_asks_total"})
    BOOST_TEST(value_in(after, name).value() == value_in(before, name).value() + 2, name);
}

BOOST_AUTO_TEST_CASE(without_a_host_it_listens_on_loopback_only) {
  for (const char* address : {"0", ":0"})
    BOOST_TEST(open(address)->url().starts_with("http://127.0.0.1:"), address);
  BOOST_TEST(open("localhost:0")->url().starts_with("http://localhost:"));
}

BOOST_AUTO_TEST_CASE(a_taken_port_is_named_with_who_has_it) {
  const auto first = open("0");
  const auto second = MetricsServer::open(place_of(*first));
  BOOST_REQUIRE(!second);
  BOOST_TEST((second.error().code == Errc::already_exists));
  BOOST_TEST(has(second.error(), "serving metrics at " + place_of(*first)));
  BOOST_TEST(has(second.error(), "by pid " + std::to_string(::getpid())));
}

BOOST_AUTO_TEST_CASE(what_is_no_address_is_refused) {
  for (const char* address : {"here", "127.0.0.1", "127.0.0.1:65536", "::1:80", ""}) {
    const auto server = MetricsServer::open(address);
    BOOST_REQUIRE(!server);
    BOOST_TEST((server.error().code == Errc::invalid_argument), address);
  }
  // An address of another machine; see RFC 5737.
  const auto elsewhere = MetricsServer::open("192.0.2.1:0");
  BOOST_REQUIRE(!elsewhere);
  BOOST_TEST((elsewhere.error().code == Errc::io_error));
}

BOOST_AUTO_TEST_CASE(a_stopped_server_frees_its_port_at_once) {
  const Instant before = monotonic_now();
  const std::string place = place_of(*open("0"));
  BOOST_TEST(bool(MetricsServer::open(place)));
  BOOST_TEST((monotonic_now() - before < std::chrono::seconds(1)));
}

// Method: more clients than threads, so that some are not even being read.
BOOST_AUTO_TEST_CASE(it_stops_in_bounded_time_whatever_clients_do) {
  auto server = open("0");
  const Trickler first(*server), second(*server), third(*server), fourth(*server);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const Instant before = monotonic_now();
  server.reset();
  BOOST_TEST((monotonic_now() - before < std::chrono::seconds(1)));
}

BOOST_AUTO_TEST_CASE(a_request_that_takes_for_ever_keeps_others_waiting_for_a_bounded_time) {
  const auto server = open("0");
  server->serve([] { return NodeStats(); });
  const Trickler first(*server), second(*server);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const Instant before = monotonic_now();
  BOOST_TEST(!scrape(server->url()).empty());
  BOOST_TEST((monotonic_now() - before < std::chrono::seconds(3)));
}

BOOST_AUTO_TEST_CASE(a_request_without_end_is_not_read_to_its_end) {
  const auto server = open("0");
  server->serve([] { return NodeStats(); });
  httplib::Client client("http://" + place_of(*server));
  const auto answer = client.Get("/metrics", {{"Filler", std::string(1 << 20, 'x')}});
  BOOST_TEST((!answer || answer->status >= 400));
  BOOST_TEST(!scrape(server->url()).empty());
}

BOOST_AUTO_TEST_CASE(before_there_is_a_node_it_says_that_it_is_not_ready) {
  const auto server = open("0");
  const auto answer = httplib::Client("http://" + place_of(*server)).Get("/metrics");
  BOOST_REQUIRE(answer);
  BOOST_TEST(answer->status == 503);
}

BOOST_AUTO_TEST_SUITE_END()
