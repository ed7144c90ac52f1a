#include "storage/checkpoint_audit.hpp"

#include <algorithm>
#include <span>

namespace slime::storage {

namespace {

/// The entry that a damaged block of `segment` belongs to; null when it is the first of its kind.
Damage* entry_of(std::vector<Damage>& all, const std::string& store, const std::string& part,
                 std::uint64_t segment) {
  const auto same = std::ranges::find_if(all, [&](const Damage& one) {
    return one.block && one.block->segment == segment && one.part == part && one.store == store;
  });
  return same == all.end() ? nullptr : &*same;
}

bool is_committed(const std::filesystem::path& directory, const CommittedCheckpoint& checkpoint) {
  const auto head = CheckpointStore::open(directory / checkpoint.head, OpenMode::read_only);
  // What cannot be said is no reason to be silent about damage.
  if (!head) return true;
  const auto ids = head->list();
  return std::ranges::find(ids, checkpoint.id) != ids.end();
}

}  // namespace

AuditedCheckpoint CheckpointAudit::of(const CommittedCheckpoint& checkpoint) {
  AuditedCheckpoint found;
  const auto damaged = [&](std::string files, const Error& why) {
    found.damage.push_back({checkpoint.head, std::move(files), "", std::nullopt, 0, why});
    return found;
  };
  const auto head = stores_->of(checkpoint.head);
  if (!head) return damaged("", head.error());
  auto manifest = (*head)->manifest(checkpoint.id);
  if (!manifest) return damaged((*head)->files_of(manifest_key(checkpoint.id)), manifest.error());
  manifest->read([&](schema::CheckpointManifest::Reader root) {
    for (const auto stored : root.getParts()) audit_part(stored, found);
  });
  found.manifest = std::move(*manifest);
  return found;
}

void CheckpointAudit::audit_part(schema::StoredPart::Reader stored, AuditedCheckpoint& found) {
  const std::string node = stored.getNode(), key = stored.getKey();
  const auto store = stores_->of(node);
  const auto damaged = [&](const Error& why) {
    found.damage.push_back({node, store ? (*store)->files_of(key) : "", key, std::nullopt, 0, why});
  };
  const auto part = stores_->part(stored);
  if (!part) return damaged(part.error());
  if (found.slots.value_or(part->record.slots) != part->record.slots)
    return damaged({Errc::corruption, "reading part \"" + key + "\" in store " +
                                          (*store)->folder().string() +
                                          ": another part has another number of slots"});
  found.slots = part->record.slots;
  found.own_bytes += part->record.own_bytes();
  found.shared_bytes += part->record.bytes() - part->record.own_bytes();
  audit_blocks(node, *part, found);
}

void CheckpointAudit::audit_blocks(const std::string& node, const OpenedPart& part,
                                   AuditedCheckpoint& found) {
  const auto& [store, record] = part;
  auto& sound = sound_[store];
  std::vector<float> values(block_parameters);
  for (std::uint32_t plane = 0; plane < record.planes(); ++plane)
    for (std::uint64_t i = 0; i < record.blocks_per_plane(); ++i) {
      const auto [segment, checksum] = record.block(plane, i);
      const BlockId block{segment, plane, record.first_block() + i};
      if (sound.contains({block, checksum})) continue;
      const Status read = store->read_part(record, plane, block.block * block_parameters,
                                           std::span(values).first(record.block_length(i)));
      if (read)
        sound.insert({block, checksum});
      else if (Damage* known = entry_of(found.damage, node, record.key, segment))
        ++known->blocks;
      else
        found.damage.push_back(
            {node, store->files_of(record, plane, i), record.key, block, 1, read.error()});
    }
}

std::optional<AuditedCheckpoint> CheckpointAudit::beside_writers(
    const CommittedCheckpoint& checkpoint) {
  AuditedCheckpoint found = of(checkpoint);
  if (found.damage.empty()) return found;
  const auto& directory = stores_->directory();
  found = CheckpointAudit(std::make_shared<OpenedStores>(directory)).of(checkpoint);
  if (!found.damage.empty() && !is_committed(directory, checkpoint)) return std::nullopt;
  return found;
}

}  // namespace slime::storage
