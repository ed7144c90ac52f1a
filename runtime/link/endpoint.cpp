#include "runtime/link/endpoint.hpp"

#include <sys/un.h>

#include <charconv>
#include <string_view>

namespace slime::runtime {

namespace {

constexpr std::string_view tcp_prefix = "tcp:";
constexpr std::string_view unix_prefix = "unix:";
// The address holds the path and its terminating zero.
constexpr std::size_t path_bytes_max = sizeof(sockaddr_un::sun_path) - 1;

Error wrong(const Endpoint& endpoint, std::string_view why) {
  return {Errc::invalid_argument, "reading endpoint '" + endpoint.text + "': " + std::string(why)};
}

Result<EndpointParts> parse_unix(const Endpoint& endpoint, std::string_view path) {
  if (!path.starts_with('/')) return wrong(endpoint, "the path is not absolute");
  if (path.size() > path_bytes_max)
    return wrong(endpoint, "the path is longer than " + std::to_string(path_bytes_max) + " bytes");
  if (path.find('\0') != path.npos) return wrong(endpoint, "the path contains a zero byte");
  return EndpointParts{EndpointParts::Kind::unix_socket, {}, 0, std::string(path)};
}

Result<EndpointParts> parse_tcp(const Endpoint& endpoint, std::string_view rest) {
  const std::size_t colon = rest.rfind(':');
  if (colon == rest.npos) return wrong(endpoint, "there is no port, as in tcp:127.0.0.1:4711");
  std::string_view host = rest.substr(0, colon);
  const std::string_view port_text = rest.substr(colon + 1);
  std::uint16_t port = 0;
  const char* end = port_text.data() + port_text.size();
  const auto [stop, code] = std::from_chars(port_text.data(), end, port);
  if (code != std::errc() || stop != end) return wrong(endpoint, "the port is not 0 to 65535");
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != host.npos) {
    return wrong(endpoint, "an IPv6 address needs brackets, as in tcp:[::1]:4711");
  }
  if (host.empty()) return wrong(endpoint, "the host is missing");
  if (host.find_first_of(std::string_view(" /[]\0\t\n", 7)) != host.npos)
    return wrong(endpoint, "the host contains a character that no host name has");
  return EndpointParts{EndpointParts::Kind::tcp, std::string(host), port, {}};
}

}  // namespace

Result<EndpointParts> parse(const Endpoint& endpoint) {
  const std::string_view text = endpoint.text;
  if (text.starts_with(tcp_prefix)) return parse_tcp(endpoint, text.substr(tcp_prefix.size()));
  if (text.starts_with(unix_prefix)) return parse_unix(endpoint, text.substr(unix_prefix.size()));
  return wrong(endpoint, "it starts with neither tcp: nor unix:");
}

Endpoint make_endpoint(const EndpointParts& parts) {
  if (parts.kind == EndpointParts::Kind::unix_socket)
    return {std::string(unix_prefix) + parts.path};
  const bool brackets = parts.host.find(':') != std::string::npos;
  return {std::string(tcp_prefix) + (brackets ? "[" + parts.host + "]" : parts.host) + ":" +
          std::to_string(parts.port)};
}

}  // namespace slime::runtime
