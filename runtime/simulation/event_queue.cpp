#include "runtime/simulation/event_queue.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace slime::runtime {

namespace {

constexpr std::size_t compact_from = 1024;

bool later(const EventQueue::Entry& left, const EventQueue::Entry& right) {
  return std::tie(left.time, left.tie, left.sequence) >
         std::tie(right.time, right.tie, right.sequence);
}

}  // namespace

EventQueue::Slot EventQueue::push(Instant time, std::uint32_t tie, Event event) {
  Slot slot;
  if (free_.empty()) {
    slot = static_cast<Slot>(events_.size());
    events_.push_back(Stored{std::move(event)});
  } else {
    slot = free_.back();
    free_.pop_back();
    events_[slot] = Stored{std::move(event)};
  }
  insert(Entry{time, tie, slot, ++sequence_});
  return slot;
}

void EventQueue::insert(const Entry& entry) {
  heap_.push_back(entry);
  std::push_heap(heap_.begin(), heap_.end(), later);
}

void EventQueue::put_back(const Entry& entry) {
  Stored& stored = events_[entry.slot];
  stored.aside = false;
  if (stored.cancelled)
    take(entry.slot);
  else
    insert(entry);
}

const EventQueue::Entry* EventQueue::top() {
  while (!heap_.empty() && events_[heap_.front().slot].cancelled) {
    take(pop().slot);
    --cancelled_;
  }
  return heap_.empty() ? nullptr : &heap_.front();
}

EventQueue::Entry EventQueue::pop() {
  std::pop_heap(heap_.begin(), heap_.end(), later);
  const Entry entry = heap_.back();
  heap_.pop_back();
  events_[entry.slot].aside = true;
  return entry;
}

Event EventQueue::take(Slot slot) {
  free_.push_back(slot);
  return std::exchange(events_[slot].event, Event{});
}

void EventQueue::cancel(Slot slot) {
  events_[slot].cancelled = true;
  if (events_[slot].aside) return;
  ++cancelled_;
  // Deadlines outlive their answers by far; left alone they would come to fill the heap.
  if (cancelled_ > compact_from && cancelled_ > heap_.size() / 2) compact();
}

void EventQueue::compact() {
  std::erase_if(heap_, [this](const Entry& entry) {
    if (!events_[entry.slot].cancelled) return false;
    take(entry.slot);
    return true;
  });
  std::make_heap(heap_.begin(), heap_.end(), later);
  cancelled_ = 0;
}

}  // namespace slime::runtime
