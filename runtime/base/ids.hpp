#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace slime {

/// Identity of a node: 128 random bits, drawn once when the node first starts.
struct NodeId {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  auto operator<=>(const NodeId&) const = default;
  /// False for the default value, which names no node.
  explicit operator bool() const { return (high | low) != 0; }
};

/// First eight hexadecimal digits: enough for people to tell nodes apart.
std::string to_string(NodeId node);

/// Where an actor lives and which one it is. Plain data: it can be stored, sent and compared,
/// and it never comes to mean another actor, because numbers are not reused within an incarnation.
struct ActorAddress {
  NodeId node;
  std::uint64_t incarnation = 0;  ///< Of the node; raised whenever the node starts again.
  std::uint64_t number = 0;       ///< Of the actor on its node; 0 names no actor.

  auto operator<=>(const ActorAddress&) const = default;
  explicit operator bool() const { return number != 0; }
};

/// "1f2e3d4c#7".
std::string to_string(const ActorAddress& address);

/// Position of a worker in its job, from 0; a replacement takes a new one.
enum class WorkerId : std::uint32_t {};
/// Position of a parameter shard in its job, from 0; a replacement keeps it.
enum class ShardId : std::uint32_t {};

}  // namespace slime

template <>
struct std::hash<slime::NodeId> {
  std::size_t operator()(const slime::NodeId& node) const noexcept {
    return static_cast<std::size_t>(node.high ^ (node.low * 0x9e3779b97f4a7c15ULL));
  }
};

template <>
struct std::hash<slime::ActorAddress> {
  std::size_t operator()(const slime::ActorAddress& address) const noexcept {
    return std::hash<slime::NodeId>()(address.node) ^
           static_cast<std::size_t>(address.number * 0xff51afd7ed558ccdULL + address.incarnation);
  }
};
