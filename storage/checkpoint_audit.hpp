#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/error.hpp"
#include "storage/block_references.hpp"
#include "storage/committed_checkpoints.hpp"
#include "storage/manifest.hpp"
#include "storage/opened_stores.hpp"

namespace slime::storage {

/// What of a checkpoint is not what was written: its manifest, the record of a part, or blocks.
struct Damage {
  std::string store;  ///< Name of the node.
  std::string files;  ///< Table files that hold it, comma-separated; empty where none is known.
  std::string part;   ///< Key of the part; empty: the manifest.
  /// The first damaged block; none: the whole part, or the manifest. Plane 0 holds values, plane
  /// 1 + i optimizer slot i.
  std::optional<BlockId> block;
  std::uint64_t blocks = 0;  ///< Damaged ones of this part in the first one's segment.
  Error why;                 ///< Of the first.
};

/// What was found in a checkpoint.
struct AuditedCheckpoint {
  std::optional<Manifest> manifest;    ///< None: damaged.
  std::optional<std::uint32_t> slots;  ///< Optimizer slots; none: no part could be read.
  std::uint64_t own_bytes = 0;         ///< Of values and slots, as PartRecord::own_bytes.
  std::uint64_t shared_bytes = 0;      ///< Stored with older checkpoints.
  std::vector<Damage> damage;          ///< Empty: every byte is right.
};

/// Reads checkpoints whole and tells all that is wrong with them, where restoring stops at the
/// first. Blocks that checkpoints share are read once. Changes nothing.
///
/// Confined to one thread at a time. Waits for the disk.
class CheckpointAudit {
 public:
  explicit CheckpointAudit(std::shared_ptr<OpenedStores> stores) : stores_(std::move(stores)) {}

  /// Reads every byte of a checkpoint.
  AuditedCheckpoint of(const CommittedCheckpoint& checkpoint);
  /// The same in stores that may have writers, which commit and drop checkpoints between the
  /// opening of one store and the next: damage is told if it is there at a second look, too, and
  /// the checkpoint still exists. None: it was dropped.
  std::optional<AuditedCheckpoint> beside_writers(const CommittedCheckpoint& checkpoint);

 private:
  /// A block and the checksum that it was found to have.
  using SoundBlock = std::pair<BlockId, std::uint32_t>;

  void audit_part(schema::StoredPart::Reader stored, AuditedCheckpoint& found);
  void audit_blocks(const std::string& node, const OpenedPart& part, AuditedCheckpoint& found);

  std::shared_ptr<OpenedStores> stores_;
  std::map<const CheckpointStore*, std::set<SoundBlock>> sound_;
};

}  // namespace slime::storage
