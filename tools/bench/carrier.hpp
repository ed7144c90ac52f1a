#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/wire/words.hpp"

namespace slime::bench {

/// The client's end of one way to carry messages to another process. Every call blocks until the
/// other side has confirmed the last message. Failures throw std::runtime_error.
class Client {
 public:
  virtual ~Client() = default;

  /// Sends `count` messages of `bytes`, each answered, `window` under way. @returns seconds.
  virtual double stream(std::size_t bytes, std::size_t count, std::size_t window) = 0;
  /// Asks small questions one after the other. @returns the seconds that each took.
  virtual std::vector<double> round_trips(std::size_t count) = 0;
  /// Sends small messages without answers. @returns seconds; negative if it cannot do that.
  virtual double one_way(std::size_t count) = 0;
};

/// One way to carry messages.
struct Carrier {
  std::string_view name;
  bool rival;         ///< Not ours.
  bool unix_sockets;  ///< Besides TCP.
  /// The other process: prints the endpoint that `connect` wants, serves until its input ends.
  int (*serve)(const std::string& endpoint);
  std::unique_ptr<Client> (*connect)(const std::string& endpoint);
};

/// Ours first.
std::span<const Carrier> carriers();
/// Throws std::runtime_error for an unknown name.
const Carrier& carrier_named(std::string_view name);

/// Length of a small message, in bytes.
constexpr std::size_t small_bytes = 64;

/// What large messages consist of. Every byte was written: the system would give memory that was
/// only read the same page of zeros over and over, which stays in the processor's cache.
runtime::Words payload_of(std::size_t bytes);

/// Congestion control for every TCP socket measured: "cubic", or the system's if there is none.
/// The default of some systems paces loopback.
std::string congestion_control();
/// Sets it on `fd`, and no delay. Other sockets than TCP are left alone.
void tune_socket(int fd);
/// Writes the endpoint for the parent and waits until it closes our input.
void announce_and_wait(const std::string& endpoint);

int serve_slime(const std::string& endpoint);
std::unique_ptr<Client> connect_slime(const std::string& endpoint);
int serve_shared(const std::string& endpoint);
std::unique_ptr<Client> connect_shared(const std::string& endpoint);
int serve_kj(const std::string& endpoint);
std::unique_ptr<Client> connect_kj(const std::string& endpoint);
int serve_raw(const std::string& endpoint);
std::unique_ptr<Client> connect_raw(const std::string& endpoint);
int serve_basp(const std::string& endpoint);
std::unique_ptr<Client> connect_basp(const std::string& endpoint);

}  // namespace slime::bench
