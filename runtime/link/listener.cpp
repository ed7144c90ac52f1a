#include "runtime/link/listener.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "runtime/link/socket_holder.hpp"

namespace slime::runtime {

namespace {

constexpr int backlog = 512;

Error cannot_listen(const Endpoint& endpoint, const std::string& why) {
  return {Errc::io_error, "listening on " + endpoint.text + ": " + why};
}

Error cannot_listen(const Endpoint& endpoint, int code) {
  return cannot_listen(endpoint, std::string(std::strerror(code)));
}

/// @param remedy  What else to listen on.
Error in_use(const Endpoint& endpoint, const std::optional<std::string>& holder,
             const std::string& remedy) {
  return {Errc::already_exists,
          "listening on " + endpoint.text + ": " + std::strerror(EADDRINUSE) + " by " +
              holder.value_or("a process that only its user or root can name, with `ss -lxtnp`") +
              "; end it or take " + remedy};
}

struct AddressDeleter {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

sockaddr_un unix_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

// A socket file stays when its process dies; connecting tells whether anyone is behind it.
bool somebody_listens(const sockaddr_un& address) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return true;
  const int status = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int code = errno;
  ::close(fd);
  return status == 0 || code != ECONNREFUSED;
}

Result<int> open_unix(const Endpoint& endpoint, const std::string& path) {
  const sockaddr_un address = unix_address(path);
  struct stat file {};
  if (::lstat(path.c_str(), &file) == 0) {
    if (!S_ISSOCK(file.st_mode))
      return cannot_listen(endpoint, "a file that is no socket is there");
    if (somebody_listens(address)) return in_use(endpoint, holder_of_path(path), "another path");
    ::unlink(path.c_str());
  }
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return cannot_listen(endpoint, errno);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(fd, backlog) == 0)
    return fd;
  const int code = errno;
  ::close(fd);
  return cannot_listen(endpoint, code);
}

Result<int> open_tcp(const Endpoint& endpoint, const EndpointParts& parts) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(parts.port);
  const int status = ::getaddrinfo(parts.host.c_str(), port.c_str(), &hints, &found);
  if (status != 0) return cannot_listen(endpoint, std::string(::gai_strerror(status)));
  const std::unique_ptr<addrinfo, AddressDeleter> list(found);
  const int fd = ::socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return cannot_listen(endpoint, errno);
  const int one = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (::bind(fd, list->ai_addr, list->ai_addrlen) == 0 && ::listen(fd, backlog) == 0) return fd;
  const int code = errno;
  ::close(fd);
  if (code == EADDRINUSE)
    return in_use(endpoint, holder_of_port(*list->ai_addr), "another port, 0 for any free one");
  return cannot_listen(endpoint, code);
}

std::uint16_t bound_port(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length);
  // The port is at the same place in both families' addresses.
  return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

}  // namespace

Result<Listener> Listener::open(const Endpoint& endpoint) {
  Result<EndpointParts> parts = parse(endpoint);
  if (!parts) return parts.error();
  if (parts->kind == EndpointParts::Kind::unix_socket) {
    const Result<int> fd = open_unix(endpoint, parts->path);
    if (!fd) return fd.error();
    return Listener(*fd, endpoint, parts->path);
  }
  const Result<int> fd = open_tcp(endpoint, *parts);
  if (!fd) return fd.error();
  parts->port = bound_port(*fd);
  return Listener(*fd, make_endpoint(*parts), {});
}

Listener::Listener(int fd, Endpoint endpoint, std::string path)
    : fd_(fd), endpoint_(std::move(endpoint)), path_(std::move(path)) {}

Listener::Listener(Listener&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      endpoint_(std::move(other.endpoint_)),
      path_(std::move(other.path_)) {}

Listener::~Listener() {
  if (fd_ < 0) return;
  ::close(fd_);
  if (!path_.empty()) ::unlink(path_.c_str());
}

}  // namespace slime::runtime
