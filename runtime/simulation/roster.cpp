#include "runtime/simulation/roster.hpp"

#include <cassert>
#include <cstdio>
#include <utility>

#include "runtime/actor/failure.hpp"
#include "runtime/simulation/delivery.hpp"

namespace slime::runtime {

SimulatedNode& Roster::add(NodeId id, std::string name, Catalogue catalogue) {
  by_id_.insert_or_assign(id, node_count());
  SimulatedNode& node = nodes_.emplace_back();
  node.id = id;
  node.incarnation = ++incarnations_[name];
  node.name = std::move(name);
  node.catalogue = std::move(catalogue);
  node.cells.assign(first_free_number, none);
  return node;
}

Cell& Roster::reserve(std::uint32_t index, std::uint64_t number) {
  SimulatedNode& node = nodes_[index];
  assert(number < first_free_number);
  if (number == 0) {
    number = node.cells.size();
    node.cells.push_back(none);
  }
  std::uint32_t& place = node.cells[number];
  if (place == none) {
    place = cell_count();
    cells_.emplace_back(traffic_, journal_, place, index,
                        ActorAddress{node.id, node.incarnation, number});
  }
  return cells_[place];
}

std::uint32_t Roster::find_node(NodeId id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? none : found->second;
}

std::uint32_t Roster::node_index(NodeId id) const {
  return by_id_.at(id);
}

std::uint32_t Roster::resolve(const ActorAddress& address) {
  const std::uint32_t index = find_node(address.node);
  if (index == none || nodes_[index].incarnation != address.incarnation || !address) return none;
  if (address.number < first_free_number) return reserve(index, address.number).index;
  if (address.number >= nodes_[index].cells.size()) return none;
  return nodes_[index].cells[address.number];
}

const Cell* Roster::find(const ActorAddress& address) const {
  const std::uint32_t index = find_node(address.node);
  if (index == none || nodes_[index].incarnation != address.incarnation) return nullptr;
  const auto& numbers = nodes_[index].cells;
  if (address.number >= numbers.size() || numbers[address.number] == none) return nullptr;
  const Cell& cell = cells_[numbers[address.number]];
  return cell.state == Cell::State::absent ? nullptr : &cell;
}

std::vector<ActorStatus> Roster::statuses(std::uint32_t node) const {
  std::vector<ActorStatus> statuses;
  for (const std::uint32_t index : nodes_[node].cells) {
    if (index == none || cells_[index].state == Cell::State::absent) continue;
    const Cell& cell = cells_[index];
    statuses.push_back({cell.address, cell.type, cell.active(), cell.end});
  }
  return statuses;
}

AnyMessage Roster::ask_failure(const Cell& cell) const {
  return to_failure(Error{Errc::unavailable, obituary(cell)});
}

AnyMessage Roster::down_message(const Cell& cell) const {
  if (cell.state != Cell::State::absent && !cell.end) return {};
  return to_failure(Error{cell.end ? cell.end->code : Errc::unavailable, obituary(cell)});
}

std::string Roster::obituary(const Cell& cell) const {
  const std::string& node = nodes_[cell.node].name;
  const std::string who = to_string(cell.address) + " on node " + node;
  if (cell.state == Cell::State::absent) return "there is no actor " + who;
  char when[32];
  std::snprintf(when, sizeof when, "%.6f s: ", to_seconds(cell.ended_at - simulation_start));
  return "actor " + std::string(cell.type) + " " + who + " ended at " + when +
         (cell.end ? to_string(*cell.end) : "it ended normally");
}

}  // namespace slime::runtime
