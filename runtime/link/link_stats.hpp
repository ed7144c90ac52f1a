#pragma once

#include <atomic>
#include <cstdint>

namespace slime::runtime {

/// What went over the connections with one peer, or with all of them. Bytes are those on the wire.
struct LinkTraffic {
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t frames_in = 0;
  std::uint64_t frames_out = 0;
  std::uint64_t messages_in = 0;
  std::uint64_t messages_out = 0;
  std::uint64_t messages_dropped = 0;    ///< No receiver, or lost with a connection.
  std::uint64_t refused_overloaded = 0;  ///< At the bound of the queue.
  std::uint64_t reconnections = 0;       ///< Connections made after the first.

  LinkTraffic& operator+=(const LinkTraffic& other) {
    bytes_in += other.bytes_in;
    bytes_out += other.bytes_out;
    frames_in += other.frames_in;
    frames_out += other.frames_out;
    messages_in += other.messages_in;
    messages_out += other.messages_out;
    messages_dropped += other.messages_dropped;
    refused_overloaded += other.refused_overloaded;
    reconnections += other.reconnections;
    return *this;
  }
};

/// A number that any thread raises and any thread reads. It orders nothing else, so that it costs
/// next to nothing where messages pass.
class Tally {
 public:
  void add(std::uint64_t count = 1) { count_.fetch_add(count, std::memory_order_relaxed); }
  void remove(std::uint64_t count = 1) { count_.fetch_sub(count, std::memory_order_relaxed); }
  std::uint64_t read() const { return count_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> count_{0};
};

/// A link at a moment, over all its peers. Nothing but numbers of 64 bits, so that a test can see
/// that each of them is told as a metric.
struct LinkStats {
  std::uint64_t peers_connected = 0;
  std::uint64_t peers_suspected = 0;
  std::uint64_t messages_queued = 0;   ///< Waiting to be written; control messages included.
  std::uint64_t bytes_queued = 0;      ///< The same in bytes.
  std::uint64_t bytes_in_flight = 0;   ///< Sent, and the credit not yet returned.
  std::uint64_t requests_pending = 0;  ///< Asked of other nodes and not answered.
  std::uint64_t peers_dead = 0;        ///< Declared dead since the start; those that left are not.
  std::uint64_t peers_left = 0;        ///< Said goodbye since the start.
  std::uint64_t slow_turns = 0;        ///< See `BriefTurns`.
  LinkTraffic traffic;                 ///< Since the start, with the dead included.
};

}  // namespace slime::runtime
