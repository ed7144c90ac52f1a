#include "runtime/simulation/call_table.hpp"

namespace slime::runtime {

std::uint64_t CallTable::open(const Call& call) {
  std::uint32_t slot;
  if (free_.empty()) {
    slot = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  slots_[slot] = Slot{.call = call, .generation = slots_[slot].generation + 1, .open = true};
  if (call.target == no_target) return id_of(slot);
  if (call.target >= heads_.size()) heads_.resize(call.target + 1, none);
  std::uint32_t& head = heads_[call.target];
  if (head != none) slots_[head].previous = slot;
  slots_[slot].next = head;
  head = slot;
  return id_of(slot);
}

Call* CallTable::find(std::uint64_t id) {
  const auto slot = static_cast<std::uint32_t>(id);
  if (slot >= slots_.size() || !slots_[slot].open || id_of(slot) != id) return nullptr;
  return &slots_[slot].call;
}

void CallTable::close(std::uint64_t id) {
  const auto slot = static_cast<std::uint32_t>(id);
  Slot& closed = slots_[slot];
  closed.open = false;
  free_.push_back(slot);
  if (closed.next != none) slots_[closed.next].previous = closed.previous;
  if (closed.previous != none)
    slots_[closed.previous].next = closed.next;
  else if (closed.call.target != no_target)
    heads_[closed.call.target] = closed.next;
}

}  // namespace slime::runtime
