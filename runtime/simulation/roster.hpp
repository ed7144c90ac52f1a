#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/actor/catalogue.hpp"
#include "runtime/simulation/cell.hpp"
#include "runtime/simulation/event_queue.hpp"

namespace slime::runtime {

/// What became of one actor.
struct ActorStatus {
  ActorAddress address;
  std::string_view type;
  bool alive;
  std::optional<Error> end;  ///< Why it ended; none while it lives and after a normal end.
};

/// One life of a simulated process.
struct SimulatedNode {
  enum class State : std::uint8_t { running, paused, dead };

  NodeId id;
  std::uint64_t incarnation = 1;
  std::string name;
  Catalogue catalogue;
  State state = State::running;
  bool lost = false;                 ///< Declared dead by all: whatever it does, nobody hears it.
  std::uint64_t faults = 0;          ///< Kills, pauses and resumptions so far.
  std::vector<std::uint32_t> cells;  ///< By actor number; `Roster::none` for a gap.
  std::vector<EventQueue::Entry> parked;  ///< What waits until it resumes.
};

/// The nodes and actors of a simulation, living and dead, and where an address leads. Both are
/// numbered in order of appearance and stay where they are.
class Roster {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// Numbers below this one are for actors spawned under a fixed number.
  static constexpr std::uint64_t first_free_number = 16;

  Roster(Traffic& traffic, Journal& journal) : traffic_(traffic), journal_(journal) {}

  /// A node that was there before gets another life, the next incarnation of its name.
  SimulatedNode& add(NodeId id, std::string name, Catalogue catalogue);
  /// The cell for `number`, or for the next free one when it is 0. Precondition: a fixed number or
  /// 0.
  Cell& reserve(std::uint32_t node, std::uint64_t number);

  std::uint32_t node_count() const { return static_cast<std::uint32_t>(nodes_.size()); }
  SimulatedNode& node(std::uint32_t index) { return nodes_[index]; }
  const SimulatedNode& node(std::uint32_t index) const { return nodes_[index]; }
  bool dead(std::uint32_t index) const { return nodes_[index].state == SimulatedNode::State::dead; }
  SimulatedNode& node_of(const Cell& cell) { return nodes_[cell.node]; }
  /// `none` for an unknown node.
  std::uint32_t find_node(NodeId id) const;
  /// Precondition: the node is known.
  std::uint32_t node_index(NodeId id) const;

  std::uint32_t cell_count() const { return static_cast<std::uint32_t>(cells_.size()); }
  Cell& cell(std::uint32_t index) { return cells_[index]; }
  const Cell& cell(std::uint32_t index) const { return cells_[index]; }
  /// Where to send what is addressed to `address`; a cell that no actor was spawned in stands for
  /// actors that do not exist (yet). `none` when the node or its incarnation is unknown.
  std::uint32_t resolve(const ActorAddress& address);
  /// The cell of an actor that was spawned, or null.
  const Cell* find(const ActorAddress& address) const;

  std::vector<ActorStatus> statuses(std::uint32_t node) const;
  /// What those are told who asked an actor that does not live.
  AnyMessage ask_failure(const Cell& cell) const;
  /// What those are told who watched it: no message after a normal end.
  AnyMessage down_message(const Cell& cell) const;

 private:
  std::string obituary(const Cell& cell) const;

  Traffic& traffic_;
  Journal& journal_;
  std::deque<SimulatedNode> nodes_;
  std::deque<Cell> cells_;
  std::unordered_map<NodeId, std::uint32_t> by_id_;
  std::unordered_map<std::string, std::uint64_t> incarnations_;
};

}  // namespace slime::runtime
