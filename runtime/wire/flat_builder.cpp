#include "runtime/wire/flat_builder.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace slime::runtime {

namespace {

// Segment table of a one-segment message: segment count minus one, and the segment's size.
constexpr std::size_t table_words = 1;

void write_table_entry(std::uint64_t* table, std::size_t index, std::uint32_t value) {
  std::memcpy(reinterpret_cast<std::byte*>(table) + index * 4, &value, 4);
}

}  // namespace

FlatBuilder::FlatBuilder(std::size_t words_hint)
    : words_hint_(std::max<std::size_t>(words_hint, 16)) {}

FlatBuilder::~FlatBuilder() noexcept(false) {
  for (Block* block : segments_) release_block(block);
}

kj::ArrayPtr<capnp::word> FlatBuilder::allocateSegment(unsigned minimum_words) {
  const std::size_t wanted = std::max<std::size_t>(minimum_words, words_hint_);
  Block* block = acquire_block(wanted + table_words);
  segments_.push_back(block);
  words_hint_ *= 2;
  std::uint64_t* first = block->words() + table_words;
  std::memset(first, 0, wanted * 8);
  return kj::arrayPtr(reinterpret_cast<capnp::word*>(first), wanted);
}

Words FlatBuilder::finish() {
  const auto segments = getSegmentsForOutput();
  if (segments.size() == 1) {
    Block* block = std::exchange(segments_.front(), nullptr);
    write_table_entry(block->words(), 0, 0);
    write_table_entry(block->words(), 1, static_cast<std::uint32_t>(segments[0].size()));
    return Words::adopt(block, 0, table_words + segments[0].size());
  }
  const std::size_t header = (segments.size() + 2) / 2;
  std::size_t total = header;
  for (const auto& segment : segments) total += segment.size();
  Block* flat = acquire_block(total);
  flat->words()[header - 1] = 0;
  write_table_entry(flat->words(), 0, static_cast<std::uint32_t>(segments.size() - 1));
  std::uint64_t* out = flat->words() + header;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    write_table_entry(flat->words(), i + 1, static_cast<std::uint32_t>(segments[i].size()));
    std::memcpy(out, segments[i].begin(), segments[i].size() * 8);
    out += segments[i].size();
  }
  return Words::adopt(flat, 0, total);
}

}  // namespace slime::runtime
