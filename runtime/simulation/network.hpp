#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/base/random.hpp"
#include "runtime/simulation/event_queue.hpp"
#include "runtime/simulation/link_model.hpp"

namespace slime::runtime {

/// Messages of one lane of a link arrive in the order in which they were sent.
enum class Lane : std::uint8_t {
  data,     ///< Tells, asks and answers: may be lost, shares the bandwidth.
  control,  ///< Deaths: overtakes data and is never lost.
};

/// One direction of the link between two nodes.
struct Channel {
  std::uint32_t from;
  std::uint32_t to;
  bool severed = false;  ///< One side declared the other dead: nothing passes again.
  bool apart = false;    ///< Partitioned: what arrives waits in `held`, as TCP makes it wait.
  std::uint64_t partitions = 0;
  Instant last_data = {};
  Instant last_control = {};
  Instant sent = {};  ///< When the last byte of what was sent so far has left.
  std::vector<EventQueue::Entry> held = {};
};

/// The links between nodes, numbered in order of joining; number 0 is the outside.
class Network {
 public:
  static constexpr std::uint32_t outside = 0;

  Network(std::uint64_t seed, const LinkModel& model) : model_(model), random_(seed, 1) {}

  /// From now on; what is under way stays as it was.
  void set_model(const LinkModel& model) { model_ = model; }
  const LinkModel& model() const { return model_; }

  /// The link's direction, which lives as long as the network.
  Channel& channel(std::uint32_t from, std::uint32_t to);
  bool severed(std::uint32_t from, std::uint32_t to) const;

  /// When something of `bytes` sent now arrives; nothing when it is lost.
  std::optional<Instant> arrival(Channel& channel, Lane lane, std::size_t bytes, Instant now);
  /// When something that stays within a node, or is perfect, arrives: after `last` and `now`.
  Instant local_arrival(Instant last, Instant now);

 private:
  static std::uint64_t key(std::uint32_t from, std::uint32_t to) {
    return (static_cast<std::uint64_t>(from) << 32) | to;
  }

  LinkModel model_;
  Random random_;
  std::unordered_map<std::uint64_t, Channel> channels_;
};

}  // namespace slime::runtime
