#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/error.hpp"
#include "storage/actor_states.hpp"
#include "storage/checkpoint_id.hpp"
#include "storage/database.hpp"
#include "storage/manifest.hpp"
#include "storage/part_record.hpp"
#include "storage/shared_blocks.hpp"
#include "storage/write_fence.hpp"

namespace slime::storage {

/// One node's checkpoints: the parts that its parameter shards wrote and, on the head, the
/// manifests. It lies in `<checkpoint.directory>/<node name>/`.
///
/// A part is there, durably, once `write_part` returns; a checkpoint is there once `commit`
/// returns. A crash before leaves nothing that anyone sees, and the next open clears it away.
///
/// Confined to one thread at a time. Every call may wait for the disk, so the actor that owns a
/// store is detached. Errors beside those named: corruption and io_error, whose context names
/// folder and key; invalid_argument for writing to a store opened for reading; stale for writing to
/// one that another process has taken over.
class CheckpointStore {
 public:
  /// Errors: those of Database::open.
  static Result<CheckpointStore> open(const std::filesystem::path& folder, OpenMode mode);

  /// Refuses, from now on and durably, whatever is of an earlier term than `term`: who takes a job
  /// over says so before it reads what there is. A later fence stays. Errors: io_error (it holds as
  /// long as this object).
  Status fence(std::uint64_t term) {
    const Status writable = database_->check_writable();
    return writable ? fence_.raise(term) : writable;
  }
  /// What is of an earlier term is refused.
  std::uint64_t fenced_term() const { return fence_.term(); }

  /// Stores a range of parameters; slots are as long as `values`. Blocks that equal, byte for
  /// byte, those of the newest part that this store has of the range, or of an earlier try at this
  /// very checkpoint, are shared, not written.
  /// @param known  Spares most of that comparison, if it is the newest part of the very range that
  ///               this object wrote, and is still there; otherwise it makes no difference.
  /// Errors: invalid_argument (a range off the blocks, empty, or slots or unchanged blocks of
  /// another number), stale (the store has a part of a later term, or is fenced against this one).
  Result<PartInfo> write_part(const PartHeader& header, std::span<const float> values,
                              std::span<const std::span<const float>> slots,
                              const std::optional<KnownPart>& known = std::nullopt);
  /// Parts and manifests of earlier terms than what is there are taken from now on: copies of other
  /// stores' checkpoints come in any order. Nobody who trains writes so.
  void accept_earlier_terms() { earlier_terms_ = true; }
  /// The record of a part. Errors: corruption (missing, damaged, or not the one that `checksum`
  /// was given for).
  Result<PartRecord> part(const std::string& key, std::uint32_t checksum) const;
  /// Reads parameters [first, first + out.size()) of a plane of `part` and verifies every block
  /// that it touches. Errors: invalid_argument (outside the part), corruption.
  Status read_part(const PartRecord& part, std::uint32_t plane, std::uint64_t first,
                   std::span<float> out) const;
  /// Names of the table files that may hold the catalog entry `key`, or a block of `part`; for
  /// people, comma-separated.
  std::string files_of(const std::string& key) const {
    return database_->files_of(Table::catalog, key);
  }
  std::string files_of(const PartRecord& part, std::uint32_t plane, std::uint64_t index) const;
  /// Reads every byte of a part. Errors: corruption.
  Status verify_part(const PartRecord& part) const;

  /// Makes a checkpoint exist, atomically. The head only, once all parts are there. One that is
  /// there with this very manifest is done already. Errors: already_exists (another manifest, or a
  /// damaged one), stale (one of a later term is there, or the store is fenced against this one),
  /// invalid_argument (see `check`).
  Status commit(const Manifest& manifest);
  /// The committed checkpoints, oldest first; those whose manifest is damaged too.
  std::vector<CheckpointId> list() const;
  /// The latest term of any entry, whole or not, and of the fence; 0 when there is none.
  std::uint64_t latest_term() const;
  /// Errors: not_found, corruption.
  Result<Manifest> manifest(CheckpointId id) const;

  /// Drops what this store has of checkpoint `id`: the manifest, the parts, and the blocks that
  /// no other part refers to.
  Status remove(CheckpointId id);
  /// Erases the manifests of `ids`, as far as they are here, so that those checkpoints do not exist
  /// any more; their parts stay. For checkpoints whose parts lie in several stores.
  Status withdraw(std::span<const CheckpointId> ids);
  /// Drops every checkpoint, committed or not, that is older than the newest of `kept` and not
  /// among them.
  Status retain(std::span<const CheckpointId> kept);
  /// Drops newer ones as well. Only where nobody is about to commit one.
  Status retain_only(std::span<const CheckpointId> kept);
  /// States of custom actors, in the same database. Valid as long as the store.
  ActorStates actor_states() { return ActorStates(*database_); }

  /// Table files that are not whole, of checkpoints and of actors' states. Reads every byte.
  std::vector<Database::DamagedFile> damaged_files() const { return database_->damaged_files(); }
  /// Why the store is read without its bookkeeping or log, if so.
  const std::optional<Error>& bookkeeping_damage() const { return database_->bookkeeping_damage(); }

  const std::filesystem::path& folder() const { return database_->folder(); }

 private:
  explicit CheckpointStore(std::unique_ptr<Database> database)
      : database_(std::move(database)), fence_(WriteFence::read(database_->folder())) {}

  Status clear_orphans();
  Result<std::vector<PartRecord>> records() const;
  Status refuse_stale(CheckpointId id, std::string_view prefix) const;
  std::vector<PartRecord> previous_parts(const PartHeader& header, std::uint64_t count) const;
  /// The part that `known` names, if blocks of `record` may be taken from it unread.
  const WrittenPart* newest_written(const KnownPart& known, const PartRecord& record) const;
  Status store_block(std::vector<TableWriter>& tables, const std::string& key,
                     std::span<const std::byte> bytes);
  Status add_record(const PartRecord& record, std::vector<TableWriter> tables, PartInfo& info);
  Status drop_others(std::span<const CheckpointId> kept, CheckpointId before);
  Status drop(std::span<const std::string> catalog_keys);
  Status reclaim(std::span<const PartRecord> dropped, std::span<const PartRecord> kept);
  Status erase_segment(std::uint64_t segment);

  std::unique_ptr<Database> database_;
  WriteFence fence_;
  std::uint64_t next_segment_ = 1;
  /// By first parameter: parts that this object wrote and nobody has removed.
  std::map<std::uint64_t, WrittenPart> newest_;
  bool earlier_terms_ = false;
};

}  // namespace slime::storage
