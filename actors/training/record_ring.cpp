#include "actors/training/record_ring.hpp"

#include <algorithm>
#include <cstddef>

namespace slime::actors {

namespace {

// Of a block's header, what an allocator keeps of it, and its place in the ring.
constexpr std::size_t overhead_bytes = 64;
// Segment table, root pointer, a `Record` and its list's tag.
constexpr std::size_t frame_words = 16;

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

runtime::Message<schema::Record> RecordRing::tell(std::uint64_t from, std::size_t entries_max,
                                                  std::size_t bytes_max) const {
  const std::uint64_t end = forgotten_ + entries_.size();
  const std::uint64_t first = std::clamp(from, forgotten_, end);
  const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(first - forgotten_);
  unsigned count = 0;
  std::size_t words = frame_words;
  for (auto entry = begin; entry != entries_.end() && count < entries_max; ++entry, ++count) {
    // No more than it has alone: its own segment table and root pointer go.
    if (count > 0 && (words + entry->count()) * sizeof(capnp::word) > bytes_max) break;
    words += entry->count();
  }
  const auto fill = [&](schema::Record::Builder root) {
    auto list = root.initEntries(count);
    for (unsigned i = 0; i < count; ++i)
      runtime::Message<schema::RecordEntry>::adopt(begin[i]).read(
          [&](schema::RecordEntry::Reader read) { list.setWithCaveats(i, read); });
    root.setNext(first + count);
    root.setLost(first - std::min(from, first));
    root.setMore(first + count < end);
  };
  return runtime::Message<schema::Record>::make(fill, words);
}

}  // namespace slime::actors
