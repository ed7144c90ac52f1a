#include "runtime/link/socket_holder.hpp"

#include <netinet/in.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "runtime/link/listener.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime::runtime;
using namespace slime::tests;

namespace socket_holder_test {

std::optional<std::string> holder_at(in_addr_t host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(host);
  address.sin_port = htons(port);
  return holder_of_port(reinterpret_cast<const sockaddr&>(address));
}

std::optional<std::string> holder_at(const in6_addr& host, std::uint16_t port) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = host;
  address.sin6_port = htons(port);
  return holder_of_port(reinterpret_cast<const sockaddr&>(address));
}

bool is_this_process(const std::optional<std::string>& holder) {
  return holder && holder->starts_with("pid " + std::to_string(::getpid()) + " (");
}

}  // namespace socket_holder_test

BOOST_AUTO_TEST_SUITE(socket_holder_test)

BOOST_AUTO_TEST_CASE(who_is_in_the_way_at_a_port_is_named) {
  std::uint16_t port = 0;
  {
    const auto listener = Listener::open(Endpoint{"tcp:127.0.0.1:0"});
    BOOST_REQUIRE(bool(listener));
    port = parse(listener->endpoint())->port;
    BOOST_TEST(is_this_process(holder_at(INADDR_LOOPBACK, port)));
    BOOST_TEST(is_this_process(holder_at(INADDR_ANY, port)));
    BOOST_TEST(is_this_process(holder_at(in6addr_any, port)));
    BOOST_TEST(!holder_at(INADDR_LOOPBACK + 1, port));
    BOOST_TEST(!holder_at(in6addr_loopback, port));
  }
  BOOST_TEST(!holder_at(INADDR_LOOPBACK, port));
}

BOOST_AUTO_TEST_CASE(who_listens_at_a_path_is_named) {
  const TempDir folder;
  const std::string path = (folder.path() / "a socket").string();
  {
    const auto listener = Listener::open(Endpoint{"unix:" + path});
    BOOST_REQUIRE(bool(listener));
    BOOST_TEST(is_this_process(holder_of_path(path)));
    const auto twin = Listener::open(Endpoint{"unix:" + path});
    BOOST_REQUIRE(!twin);
    BOOST_TEST((twin.error().code == slime::Errc::already_exists));
    BOOST_TEST(twin.error().context.find("in use by pid ") != std::string::npos);
  }
  BOOST_TEST(!holder_of_path(path));
}

BOOST_AUTO_TEST_SUITE_END()
