#include "runtime/cluster/reachable.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <string>

namespace slime::runtime {

namespace {

bool is_wildcard(const std::string& host) {
  return host == "0.0.0.0" || host == "::" || host == "*";
}

/// Addresses of the running interfaces, loopback and link-local ones left out.
std::vector<std::string> host_addresses(bool ipv6) {
  std::vector<std::string> addresses;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return addresses;
  for (const ifaddrs* at = all; at; at = at->ifa_next) {
    if (!at->ifa_addr || !(at->ifa_flags & IFF_UP) || (at->ifa_flags & IFF_LOOPBACK)) continue;
    char text[INET6_ADDRSTRLEN];
    if (at->ifa_addr->sa_family == AF_INET) {
      const auto* address = reinterpret_cast<const sockaddr_in*>(at->ifa_addr);
      addresses.emplace_back(inet_ntop(AF_INET, &address->sin_addr, text, sizeof text));
    } else if (ipv6 && at->ifa_addr->sa_family == AF_INET6) {
      const auto* address = reinterpret_cast<const sockaddr_in6*>(at->ifa_addr);
      if (IN6_IS_ADDR_LINKLOCAL(&address->sin6_addr)) continue;
      addresses.emplace_back(inet_ntop(AF_INET6, &address->sin6_addr, text, sizeof text));
    }
  }
  ::freeifaddrs(all);
  return addresses;
}

}  // namespace

std::vector<Endpoint> reachable(const std::vector<Endpoint>& bound) {
  std::vector<Endpoint> told;
  for (const Endpoint& endpoint : bound) {
    const auto parts = parse(endpoint);
    if (!parts || parts->kind != EndpointParts::Kind::tcp || !is_wildcard(parts->host)) {
      told.push_back(endpoint);
      continue;
    }
    std::vector<std::string> addresses = host_addresses(parts->host != "0.0.0.0");
    if (addresses.empty()) addresses.emplace_back("127.0.0.1");
    for (const std::string& address : addresses) {
      EndpointParts one = *parts;
      one.host = address;
      told.push_back(make_endpoint(one));
    }
  }
  return told;
}

}  // namespace slime::runtime
