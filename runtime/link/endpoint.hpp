#pragma once

#include <cstdint>
#include <string>

#include "runtime/base/error.hpp"

namespace slime::runtime {

/// Where a link listens or dials: "tcp:127.0.0.1:4711", "tcp:[::1]:4711", "tcp:host:4711" or
/// "unix:/path/of/socket". Plain data; the text is what people write and read.
struct Endpoint {
  std::string text;

  auto operator<=>(const Endpoint&) const = default;
};

/// An endpoint taken apart.
struct EndpointParts {
  enum class Kind : std::uint8_t { tcp, unix_socket };

  Kind kind = Kind::tcp;
  std::string host;        ///< Name or address, without brackets. TCP only.
  std::uint16_t port = 0;  ///< 0 asks the system for a free one when listening. TCP only.
  std::string path;        ///< Absolute, short enough for a socket address. Unix only.
};

/// Errors: invalid_argument (says which part is wrong).
Result<EndpointParts> parse(const Endpoint& endpoint);

/// The endpoint that `parse` would take apart into the same parts.
Endpoint make_endpoint(const EndpointParts& parts);

}  // namespace slime::runtime
