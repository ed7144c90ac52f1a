#include "actors/training/record_ring.hpp"

#include <algorithm>

namespace slime::actors {

namespace {

// Of a block's header, what an allocator keeps of it, and its place in the ring.
constexpr std::size_t overhead_bytes = 64;

std::size_t bytes_of(const runtime::Words& entry) {
  return entry.bytes() + overhead_bytes;
}

}  // namespace

void RecordRing::keep(const runtime::Message<schema::RecordEntry>& entry) {
  // A message is made with room to spare.
  entries_.push_back(runtime::Words::copy(entry.words().as_bytes()));
  bytes_ += bytes_of(entries_.back());
  while (bytes_ > bytes_max_ && !entries_.empty()) {
    bytes_ -= bytes_of(entries_.front());
    entries_.pop_front();
    ++forgotten_;
  }
}

void RecordRing::write(std::uint64_t from, std::size_t entries_max,
                       schema::Record::Builder root) const {
  const std::uint64_t end = forgotten_ + entries_.size();
  const std::uint64_t first = std::clamp(from, forgotten_, end);
  const std::uint64_t count = std::min<std::uint64_t>(end - first, entries_max);
  auto list = root.initEntries(static_cast<unsigned>(count));
  for (unsigned i = 0; i < count; ++i)
    runtime::Message<schema::RecordEntry>::adopt(entries_[first - forgotten_ + i])
        .read([&](schema::RecordEntry::Reader read) { list.setWithCaveats(i, read); });
  root.setNext(first + count);
  root.setLost(first - std::min(from, first));
  root.setMore(first + count < end);
}

}  // namespace slime::actors
