#include "tools/bench/carrier.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <iostream>
#include <stdexcept>

namespace slime::bench {

namespace {

constexpr std::string_view wanted_control = "cubic";

bool set_control(int fd) {
  return ::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, wanted_control.data(),
                      static_cast<socklen_t>(wanted_control.size())) == 0;
}

}  // namespace

std::span<const Carrier> carriers() {
  static constexpr std::array all{
      Carrier{"slime", false, true, serve_slime, connect_slime},
      Carrier{"shared", false, true, serve_shared, connect_shared},
      Carrier{"kj", true, true, serve_kj, connect_kj},
      Carrier{"raw", true, true, serve_raw, connect_raw},
      Carrier{"basp", true, false, serve_basp, connect_basp},
  };
  return all;
}

const Carrier& carrier_named(std::string_view name) {
  for (const Carrier& carrier : carriers())
    if (carrier.name == name) return carrier;
  throw std::runtime_error("there is no carrier '" + std::string(name) + "'");
}

runtime::Words payload_of(std::size_t bytes) {
  runtime::Block* block = runtime::acquire_block(bytes / 8);
  std::memset(block->words(), 1, bytes);
  return runtime::Words::adopt(block, 0, bytes / 8);
}

std::string congestion_control() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  set_control(fd);
  std::array<char, 32> name{};
  auto length = static_cast<socklen_t>(name.size());
  ::getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name.data(), &length);
  ::close(fd);
  return name.data();
}

void tune_socket(int fd) {
  const int one = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  set_control(fd);
}

void announce_and_wait(const std::string& endpoint) {
  std::cout << endpoint << std::endl;
  char byte;
  while (::read(STDIN_FILENO, &byte, 1) > 0) {
  }
}

}  // namespace slime::bench
