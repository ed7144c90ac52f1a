#include "storage/part_record.hpp"

#include <kj/exception.h>

#include <cassert>
#include <charconv>
#include <span>

#include "runtime/wire/message.hpp"
#include "schemas/checkpoint.capnp.h"
#include "storage/checksum.hpp"

namespace slime::storage {

namespace {

using Stored = runtime::Message<schema::PartRecord>;

// Far above any model, and low enough that no product of them overflows.
constexpr std::uint64_t parameters_max = std::uint64_t{1} << 48;

Error damaged(std::string_view key, std::string_view why) {
  return {Errc::corruption,
          "reading part record \"" + std::string(key) + "\": " + std::string(why)};
}

Result<PartRecord> read_record(std::string_view key, schema::PartRecord::Reader stored) {
  PartRecord record;
  record.key = key;
  record.header.checkpoint = {stored.getTerm(), stored.getIteration()};
  record.header.version = stored.getVersion();
  record.header.first = stored.getFirst();
  record.count = stored.getCount();
  record.slots = stored.getSlots();
  if (record.count == 0 || record.count > parameters_max || record.slots > slots_max ||
      record.header.first > parameters_max || record.header.first % block_parameters != 0)
    return damaged(key, "its range is impossible");
  const auto blocks = stored.getBlocks();
  if (blocks.size() != record.planes() * record.blocks_per_plane())
    return damaged(key, "it names another number of blocks than its range has");
  if (checkpoint_of(key) != record.header.checkpoint)
    return damaged(key, "it is of " + to_string(record.header.checkpoint));
  record.blocks.reserve(blocks.size());
  for (const auto block : blocks)
    record.blocks.push_back({block.getSegment(), block.getChecksum()});
  return record;
}

}  // namespace

std::uint64_t PartRecord::own_bytes() const {
  const std::uint64_t own = segment_of(std::string_view(key).substr(key.rfind('/') + 1));
  std::uint64_t values = 0;
  for (std::uint32_t plane = 0; plane < planes(); ++plane)
    for (std::uint64_t i = 0; i < blocks_per_plane(); ++i)
      if (block(plane, i).segment == own) values += block_length(i);
  return values * sizeof(float);
}

std::string encode(const PartRecord& record) {
  assert(record.blocks.size() == record.planes() * record.blocks_per_plane());
  const auto fill = [&record](schema::PartRecord::Builder stored) {
    stored.setIteration(record.header.checkpoint.iteration);
    stored.setTerm(record.header.checkpoint.term);
    stored.setVersion(record.header.version);
    stored.setFirst(record.header.first);
    stored.setCount(record.count);
    stored.setSlots(record.slots);
    auto blocks = stored.initBlocks(static_cast<unsigned>(record.blocks.size()));
    for (unsigned i = 0; i < blocks.size(); ++i) {
      blocks[i].setSegment(record.blocks[i].segment);
      blocks[i].setChecksum(record.blocks[i].checksum);
    }
  };
  return seal(Stored::make(fill, 2 * record.blocks.size() + 64).words());
}

Result<PartRecord> decode(std::string_view key, std::string_view entry) {
  const auto words = unseal(std::as_bytes(std::span(entry)));
  if (!words) return damaged(key, words.error().context);
  try {
    return Stored::adopt(*words).read(
        [key](schema::PartRecord::Reader stored) { return read_record(key, stored); });
  } catch (const kj::Exception& exception) {
    return damaged(key, exception.getDescription().cStr());
  }
}

std::string block_key(std::uint64_t segment, std::uint32_t plane, std::uint64_t block) {
  return hexadecimal(segment) + "/" + hexadecimal(plane) + "/" + hexadecimal(block);
}

// '/' + 1 == '0', and every key of the segment goes on with '/'.
std::string segment_first_key(std::uint64_t segment) {
  return hexadecimal(segment) + "/";
}
std::string segment_last_key(std::uint64_t segment) {
  return hexadecimal(segment) + "0";
}

std::uint64_t segment_of(std::string_view key) {
  std::uint64_t segment = 0;
  const auto digits = key.substr(0, key.find('/'));
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), segment, 16);
  return error == std::errc() && end == digits.data() + digits.size() ? segment : 0;
}

}  // namespace slime::storage
