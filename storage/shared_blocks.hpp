#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "storage/database.hpp"
#include "storage/part_record.hpp"

namespace slime::storage {

/// What the writer of a part knows of one that it wrote before.
struct KnownPart {
  std::string key;
  std::uint32_t checksum = 0;   ///< Of its record.
  std::vector<bool> unchanged;  ///< By block: whether all its planes are bit for bit as there.
};

/// A part that was written, and how often one of its range was.
struct WrittenPart {
  PartRecord record;
  std::uint32_t checksum = 0;  ///< Of the record.
  std::uint64_t turn = 0;
};

/// Finds the blocks of a new part that its store has. What the writer knows to be unchanged is
/// taken unread, except that each is read after `turns` parts of the range at the latest: one that
/// was damaged meanwhile is then stored again, from the writer's memory. Any other block is read
/// and compared.
///
/// Lives for one write, no longer than the database and what it is given.
class SharedBlocks {
 public:
  static constexpr std::uint64_t turns = 16;

  SharedBlocks(const Database& database, std::vector<PartRecord> previous)
      : database_(database), previous_(std::move(previous)) {}

  /// From now on `unchanged` blocks are those of `base`, which has the range and the planes of the
  /// new part and is whole as far as the store knows.
  void trust(const WrittenPart& base, const std::vector<bool>& unchanged) {
    base_ = &base;
    unchanged_ = &unchanged;
  }

  /// Where the bytes of block `index` of the part are stored; segment 0: nowhere. The checksum is
  /// theirs.
  BlockReference find(std::uint32_t plane, std::uint64_t index, std::uint64_t first_block,
                      std::span<const std::byte> bytes) const;

 private:
  bool due(std::uint64_t index) const { return index % turns == base_->turn % turns; }

  const Database& database_;
  std::vector<PartRecord> previous_;
  const WrittenPart* base_ = nullptr;
  const std::vector<bool>* unchanged_ = nullptr;
};

}  // namespace slime::storage
