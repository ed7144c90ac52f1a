#include "runtime/link/endpoint.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

using namespace slime;
using namespace slime::runtime;

BOOST_AUTO_TEST_SUITE(endpoint_test)

BOOST_AUTO_TEST_CASE(every_form_comes_apart_and_together_again) {
  for (const char* text : {"tcp:127.0.0.1:4711", "tcp:[::1]:0", "tcp:node-7.example:65535",
                           "unix:/run/slime/node.sock"}) {
    const auto parts = parse(Endpoint{text});
    BOOST_REQUIRE(bool(parts));
    BOOST_TEST(make_endpoint(*parts).text == text);
  }
  const auto parts = parse(Endpoint{"tcp:[fe80::1]:80"});
  BOOST_REQUIRE(bool(parts));
  BOOST_TEST(parts->host == "fe80::1");
  BOOST_TEST(parts->port == 80);
}

BOOST_AUTO_TEST_CASE(what_is_no_endpoint_is_refused_with_the_reason) {
  const std::string long_path = "unix:/" + std::string(200, 'x');
  const std::pair<std::string, const char*> cases[] = {
      {"", "neither"},
      {"127.0.0.1:80", "neither"},
      {"tcp:", "no port"},
      {"tcp:localhost", "no port"},
      {"tcp::80", "host is missing"},
      {"tcp:host:", "the port"},
      {"tcp:host:65536", "the port"},
      {"tcp:host:-1", "the port"},
      {"tcp:host:80x", "the port"},
      {"tcp:::1:80", "brackets"},
      {"tcp:a host:80", "character"},
      {"unix:relative", "absolute"},
      {long_path, "longer"},
  };
  for (const auto& [text, why] : cases) {
    const auto parts = parse(Endpoint{text});
    BOOST_REQUIRE_MESSAGE(!parts, text);
    BOOST_TEST((parts.error().code == Errc::invalid_argument));
    BOOST_TEST_INFO(parts.error().context);
    BOOST_TEST(parts.error().context.find(why) != std::string::npos);
  }
}

BOOST_AUTO_TEST_SUITE_END()
