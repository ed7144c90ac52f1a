#pragma once

#include <sys/socket.h>

#include <optional>
#include <string>

namespace slime::runtime {

/// The process of this machine that listens where somebody else wants to, as text for people:
/// "pid 4711 (python3)". None when it cannot be told, as for another user's process. Blocks on
/// /proc, some milliseconds for a thousand processes.
std::optional<std::string> holder_of_port(const sockaddr& address);

/// The same for a Unix socket.
std::optional<std::string> holder_of_path(const std::string& path);

}  // namespace slime::runtime
