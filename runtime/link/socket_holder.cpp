#include "runtime/link/socket_holder.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

namespace slime::runtime {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view listening = "0A";

/// As /proc/net/tcp and tcp6 have it (proc(5)): each 32-bit word of the address in this machine's
/// order of bytes, then the port.
struct LocalAddress {
  std::string host;
  std::string port;
};

std::string hex(const std::uint32_t word) {
  std::array<char, 9> text{};
  std::snprintf(text.data(), text.size(), "%08X", word);
  return text.data();
}

LocalAddress local_address(const sockaddr& address) {
  std::array<std::uint32_t, 4> words{};
  std::size_t count = words.size();
  in_port_t port = 0;
  if (address.sa_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    words[0] = v4.sin_addr.s_addr;
    count = 1;
    port = v4.sin_port;
  } else {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    std::memcpy(words.data(), &v6.sin6_addr, sizeof words);
    port = v6.sin6_port;
  }
  LocalAddress local;
  for (std::size_t i = 0; i < count; ++i) local.host += hex(words[i]);
  local.port = hex(ntohs(port)).substr(4);
  return local;
}

bool is_wildcard(std::string_view host) {
  return host.find_first_not_of('0') == host.npos;
}

bool in_the_way(const LocalAddress& wanted, std::string_view held) {
  const std::size_t colon = held.find(':');
  if (colon == held.npos || held.substr(colon + 1) != wanted.port) return false;
  const std::string_view host = held.substr(0, colon);
  return is_wildcard(host) || is_wildcard(wanted.host) || host == wanted.host;
}

/// What the links in /proc/PID/fd of a socket's owner read.
std::string link_text(const std::string& inode) {
  return "socket:[" + inode + "]";
}

std::set<std::string> sockets_at(const LocalAddress& wanted) {
  std::set<std::string> sockets;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream lines(table);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream fields(line);
      std::string slot, local, remote, state, queues, timer, retries, user, probes, inode;
      fields >> slot >> local >> remote >> state >> queues >> timer >> retries >> user >> probes >>
          inode;
      if (state == listening && in_the_way(wanted, local)) sockets.insert(link_text(inode));
    }
  }
  return sockets;
}

std::set<std::string> sockets_at(const std::string& wanted) {
  std::set<std::string> sockets;
  std::ifstream lines("/proc/net/unix");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string slot, references, protocol, flags, type, state, inode, path;
    fields >> slot >> references >> protocol >> flags >> type >> state >> inode >> std::ws;
    std::getline(fields, path);
    if (path == wanted) sockets.insert(link_text(inode));
  }
  return sockets;
}

bool holds_one(const fs::path& process, const std::set<std::string>& sockets) {
  std::error_code failure;
  // Ends at once for another user's process, whose folder may not be read.
  for (fs::directory_iterator entry(process / "fd", failure), end; !failure && entry != end;
       entry.increment(failure)) {
    std::error_code gone;
    if (sockets.contains(fs::read_symlink(entry->path(), gone).string())) return true;
  }
  return false;
}

std::optional<std::string> holder(const std::set<std::string>& sockets) {
  if (sockets.empty()) return std::nullopt;
  std::error_code failure;
  for (fs::directory_iterator entry("/proc", failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string pid = entry->path().filename();
    if (pid.find_first_not_of("0123456789") != pid.npos || !holds_one(entry->path(), sockets))
      continue;
    std::ifstream file(entry->path() / "comm");
    std::string program;
    std::getline(file, program);
    return "pid " + pid + " (" + program + ")";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> holder_of_port(const sockaddr& address) {
  return holder(sockets_at(local_address(address)));
}

std::optional<std::string> holder_of_path(const std::string& path) {
  return holder(sockets_at(path));
}

}  // namespace slime::runtime
