#include "storage/checkpoint_store.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "storage/block_references.hpp"
#include "storage/checksum.hpp"
#include "storage/shared_blocks.hpp"

namespace slime::storage {

namespace {

static_assert(std::endian::native == std::endian::little, "floats are stored as they lie");

constexpr std::uint64_t block_bytes = block_parameters * sizeof(float);

std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

Status check_part(const PartHeader& header, std::span<const float> values,
                  std::span<const std::span<const float>> slots) {
  const auto wrong = [&header](const std::string& why) {
    return Error{Errc::invalid_argument, "storing parameters from " + std::to_string(header.first) +
                                             " of " + to_string(header.checkpoint) + ": " + why};
  };
  if (header.first % block_parameters != 0)
    return wrong("a part starts at a multiple of " + std::to_string(block_parameters));
  if (values.empty()) return wrong("there are none");
  if (slots.size() > slots_max) return wrong("there are more slots than any optimizer has");
  for (const auto& slot : slots)
    if (slot.size() != values.size())
      return wrong("a slot has " + std::to_string(slot.size()) + " values for " +
                   std::to_string(values.size()) + " parameters");
  return ok();
}

}  // namespace

Result<CheckpointStore> CheckpointStore::open(const std::filesystem::path& folder, OpenMode mode) {
  auto database = Database::open(folder, mode);
  if (!database) return database.error();
  CheckpointStore store(std::move(*database));
  if (mode != OpenMode::read_only)
    if (auto status = store.clear_orphans(); !status) return status.error();
  return store;
}

Status CheckpointStore::clear_orphans() {
  const auto kept = records();
  std::set<std::uint64_t> live;
  if (kept) live = segments(references(*kept));
  for (const auto& key : database_->catalog(part_prefix))
    next_segment_ = std::max(next_segment_, segment_of(key.substr(key.rfind('/') + 1)) + 1);
  for (const auto& file : database_->files(Table::blocks)) {
    const std::uint64_t first = segment_of(file.first), last = segment_of(file.last);
    next_segment_ = std::max(next_segment_, last + 1);
    // Nothing is an orphan for sure while some record cannot be read.
    if (!kept) continue;
    for (std::uint64_t segment = first; segment <= last; ++segment) {
      const bool whole_file = first == last;
      if (!live.contains(segment) &&
          (whole_file || database_->stored_bytes(Table::blocks, segment_first_key(segment),
                                                 segment_last_key(segment)) > 0))
        if (auto status = erase_segment(segment); !status) return status;
    }
  }
  return ok();
}

Result<std::vector<PartRecord>> CheckpointStore::records() const {
  std::vector<PartRecord> records;
  for (const auto& key : database_->catalog(part_prefix)) {
    const auto entry = database_->read(Table::catalog, key);
    if (!entry) return entry.error();
    auto record = decode(key, *entry);
    if (!record)
      return Error{Errc::corruption, record.error().context + ", in store " + folder().string() +
                                         "; remove this checkpoint"};
    records.push_back(std::move(*record));
  }
  return records;
}

Status CheckpointStore::refuse_stale(CheckpointId id, std::string_view prefix) const {
  if (earlier_terms_) return ok();
  const std::string attempted = "storing " + to_string(id) + " in store " + folder().string();
  if (id.term < fence_.term())
    return Error{Errc::stale,
                 attempted + ": term " + std::to_string(fence_.term()) + " has taken it over"};
  const auto keys = database_->catalog(prefix);
  const auto newest = keys.empty() ? std::nullopt : checkpoint_of(keys.back());
  if (newest && id.term < newest->term)
    return Error{Errc::stale, attempted + ": " + to_string(*newest) + " is there, of a later term"};
  return ok();
}

std::vector<PartRecord> CheckpointStore::previous_parts(const PartHeader& header,
                                                        std::uint64_t count) const {
  std::vector<PartRecord> previous;
  std::optional<CheckpointId> newest;
  auto keys = database_->catalog(part_prefix);
  std::reverse(keys.begin(), keys.end());
  for (const auto& key : keys) {
    const auto id = checkpoint_of(key);
    if (newest && id != newest && id != header.checkpoint) continue;
    // What cannot be read is not shared with, no more.
    const auto entry = database_->read(Table::catalog, key);
    if (!entry) continue;
    auto record = decode(key, *entry);
    if (!record || record->header.first >= header.first + count || header.first >= record->end())
      continue;
    previous.push_back(std::move(*record));
    if (!newest) newest = id;
  }
  return previous;
}

const WrittenPart* CheckpointStore::newest_written(const KnownPart& known,
                                                   const PartRecord& record) const {
  const auto found = newest_.find(record.header.first);
  if (found == newest_.end()) return nullptr;
  const PartRecord& written = found->second.record;
  const bool same = written.key == known.key && found->second.checksum == known.checksum;
  return same && written.count == record.count && written.slots == record.slots ? &found->second
                                                                                : nullptr;
}

Result<PartInfo> CheckpointStore::write_part(const PartHeader& header,
                                             std::span<const float> values,
                                             std::span<const std::span<const float>> slots,
                                             const std::optional<KnownPart>& known) {
  if (auto status = check_part(header, values, slots); !status) return status.error();
  if (auto status = refuse_stale(header.checkpoint, part_prefix); !status) return status.error();
  const std::uint64_t segment = next_segment_++;
  PartRecord record{part_key(header.checkpoint, header.first, segment),
                    header,
                    values.size(),
                    static_cast<std::uint32_t>(slots.size()),
                    {}};
  if (known && known->unchanged.size() != record.blocks_per_plane())
    return Error{Errc::invalid_argument,
                 "storing part \"" + record.key + "\": it has another number of blocks than " +
                     std::to_string(known->unchanged.size()) + ", which are said to be unchanged"};
  SharedBlocks shared(*database_, previous_parts(header, values.size()));
  if (known)
    if (const auto* base = newest_written(*known, record)) shared.trust(*base, known->unchanged);
  PartInfo info{.key = record.key, .first = header.first, .count = values.size()};
  std::vector<TableWriter> tables;
  for (std::uint32_t plane = 0; plane < record.planes(); ++plane) {
    const auto numbers = plane == 0 ? values : slots[plane - 1];
    for (std::uint64_t i = 0; i < record.blocks_per_plane(); ++i) {
      const auto bytes =
          std::as_bytes(numbers.subspan(i * block_parameters, record.block_length(i)));
      BlockReference stored = shared.find(plane, i, record.first_block(), bytes);
      const bool own = stored.segment == 0;
      (own ? info.own_bytes : info.shared_bytes) += bytes.size();
      if (own) {
        stored.segment = segment;
        if (auto status =
                store_block(tables, block_key(segment, plane, record.first_block() + i), bytes);
            !status)
          return status.error();
      }
      record.blocks.push_back(stored);
    }
  }
  if (auto status = add_record(record, std::move(tables), info); !status) return status.error();
  return info;
}

Status CheckpointStore::store_block(std::vector<TableWriter>& tables, const std::string& key,
                                    std::span<const std::byte> bytes) {
  if (tables.empty()) {
    auto table = database_->new_table(Table::blocks);
    if (!table) return table.error();
    tables.push_back(std::move(*table));
  }
  return tables.front().add(key, bytes);
}

Status CheckpointStore::add_record(const PartRecord& record, std::vector<TableWriter> tables,
                                   PartInfo& info) {
  const std::string entry = encode(record);
  info.checksum = checksum(as_bytes(entry));
  auto table = database_->new_table(Table::catalog);
  if (!table) return table.error();
  if (auto status = table->add(record.key, as_bytes(entry)); !status) return status;
  tables.push_back(std::move(*table));
  if (auto status = database_->ingest(std::move(tables)); !status) return status;
  WrittenPart& newest = newest_[record.header.first];
  newest = {record, info.checksum, newest.turn + 1};
  return ok();
}

Result<PartRecord> CheckpointStore::part(const std::string& key, std::uint32_t sum) const {
  const auto entry = database_->read(Table::catalog, key);
  if (!entry) {
    Error error = entry.error();
    // Somebody named this part, so it was there.
    if (error.code == Errc::not_found) error.code = Errc::corruption;
    return error;
  }
  if (checksum(as_bytes(*entry)) != sum)
    return Error{Errc::corruption, "reading part record \"" + key + "\" in store " +
                                       folder().string() +
                                       ": it is not the one that the manifest names"};
  auto record = decode(key, *entry);
  if (!record)
    return Error{Errc::corruption, record.error().context + ", in store " + folder().string()};
  return record;
}

Status CheckpointStore::read_part(const PartRecord& part, std::uint32_t plane, std::uint64_t first,
                                  std::span<float> out) const {
  if (plane >= part.planes() || first < part.header.first || first > part.end() ||
      out.size() > part.end() - first)
    return Error{Errc::invalid_argument, "reading part \"" + part.key + "\": parameters from " +
                                             std::to_string(first) + " are not in it"};
  while (!out.empty()) {
    const std::uint64_t block = first / block_parameters;
    const std::uint64_t index = block - part.first_block();
    const BlockReference& reference = part.block(plane, index);
    const std::string key = block_key(reference.segment, plane, block);
    const std::uint64_t offset = first % block_parameters;
    const std::uint64_t length = std::min(part.block_length(index) - offset, out.size());
    const auto damaged = [&](const std::string& why) {
      return Error{Errc::corruption, "reading block \"" + key + "\" of part \"" + part.key +
                                         "\" in store " + folder().string() + ": " + why};
    };
    const auto use = [&](std::string_view value) -> Status {
      if (value.size() != part.block_length(index) * sizeof(float))
        return damaged("it has " + std::to_string(value.size()) + " bytes");
      if (checksum(std::as_bytes(std::span(value))) != reference.checksum)
        return damaged("its checksum is wrong");
      std::memcpy(out.data(), value.data() + offset * sizeof(float), length * sizeof(float));
      return ok();
    };
    if (Status read = database_->read(Table::blocks, key, use); !read)
      return read.error().code == Errc::not_found ? damaged("it is missing") : read.error();
    out = out.subspan(length);
    first += length;
  }
  return ok();
}

std::string CheckpointStore::files_of(const PartRecord& part, std::uint32_t plane,
                                      std::uint64_t index) const {
  return database_->files_of(Table::blocks, block_key(part.block(plane, index).segment, plane,
                                                      part.first_block() + index));
}

Status CheckpointStore::verify_part(const PartRecord& part) const {
  std::vector<float> block(block_parameters);
  for (std::uint32_t plane = 0; plane < part.planes(); ++plane)
    for (std::uint64_t i = 0; i < part.blocks_per_plane(); ++i) {
      const auto out = std::span(block).first(part.block_length(i));
      auto status = read_part(part, plane, part.header.first + i * block_parameters, out);
      if (!status) return status;
    }
  return ok();
}

Status CheckpointStore::commit(const Manifest& manifest) {
  if (auto status = check(manifest); !status) return status;
  const CheckpointId id = id_of(manifest);
  if (auto status = refuse_stale(id, manifest_prefix); !status) return status;
  const std::string key = manifest_key(id);
  const std::string entry = encode(manifest);
  const auto existing = database_->read(Table::catalog, key);
  if (existing && *existing == entry) return ok();
  if (existing || existing.error().code != Errc::not_found)
    return Error{Errc::already_exists, "committing " + to_string(id) + " to store " +
                                           folder().string() + ": another one of it is there"};
  auto table = database_->new_table(Table::catalog);
  if (!table) return table.error();
  if (auto status = table->add(key, as_bytes(entry)); !status) return status;
  std::vector<TableWriter> tables;
  tables.push_back(std::move(*table));
  return database_->ingest(std::move(tables));
}

std::vector<CheckpointId> CheckpointStore::list() const {
  std::vector<CheckpointId> ids;
  for (const auto& key : database_->catalog(manifest_prefix))
    if (const auto id = checkpoint_of(key)) ids.push_back(*id);
  return ids;
}

std::uint64_t CheckpointStore::latest_term() const {
  std::uint64_t latest = fence_.term();
  for (const auto prefix : {manifest_prefix, part_prefix})
    for (const auto& key : database_->catalog(prefix))
      if (const auto id = checkpoint_of(key)) latest = std::max(latest, id->term);
  return latest;
}

Result<Manifest> CheckpointStore::manifest(CheckpointId id) const {
  const std::string key = manifest_key(id);
  const auto entry = database_->read(Table::catalog, key);
  if (!entry) return entry.error();
  auto manifest = decode_manifest(key, *entry);
  if (!manifest)
    return Error{Errc::corruption, manifest.error().context + ", in store " + folder().string()};
  return manifest;
}

Status CheckpointStore::remove(CheckpointId id) {
  std::vector<std::string> keys = database_->catalog(manifest_key(id));
  const auto parts = database_->catalog(part_prefix);
  std::copy_if(parts.begin(), parts.end(), std::back_inserter(keys),
               [id](const std::string& key) { return checkpoint_of(key) == id; });
  return drop(keys);
}

Status CheckpointStore::withdraw(std::span<const CheckpointId> ids) {
  for (const CheckpointId id : ids)
    for (const auto& key : database_->catalog(manifest_key(id)))
      if (auto status = database_->erase(Table::catalog, key, key); !status) return status;
  return ok();
}

Status CheckpointStore::retain(std::span<const CheckpointId> kept) {
  if (kept.empty()) return ok();
  return drop_others(kept, *std::max_element(kept.begin(), kept.end()));
}

Status CheckpointStore::retain_only(std::span<const CheckpointId> kept) {
  constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  return drop_others(kept, {last, last});
}

Status CheckpointStore::drop_others(std::span<const CheckpointId> kept, CheckpointId before) {
  std::vector<std::string> keys;
  for (const auto prefix : {manifest_prefix, part_prefix})
    for (auto& key : database_->catalog(prefix)) {
      const auto id = checkpoint_of(key);
      if (id && *id < before && std::find(kept.begin(), kept.end(), *id) == kept.end())
        keys.push_back(std::move(key));
    }
  return drop(keys);
}

Status CheckpointStore::drop(std::span<const std::string> catalog_keys) {
  std::vector<PartRecord> dropped;
  // Manifests come first in `catalog_keys`, so no crash leaves one whose parts are gone.
  for (const auto& key : catalog_keys) {
    const auto entry = database_->read(Table::catalog, key);
    // Its blocks may go.
    std::erase_if(newest_, [&key](const auto& part) { return part.second.record.key == key; });
    if (entry && key.starts_with(part_prefix))
      if (auto record = decode(key, *entry)) dropped.push_back(std::move(*record));
    if (auto status = database_->erase(Table::catalog, key, key); !status) return status;
  }
  if (dropped.empty()) return ok();
  const auto kept = records();
  if (!kept) return kept.error();
  return reclaim(dropped, *kept);
}

Status CheckpointStore::reclaim(std::span<const PartRecord> dropped,
                                std::span<const PartRecord> kept) {
  const auto live = references(kept);
  const auto dead = unreferenced(references(dropped), live);
  const auto live_segments = segments(live);
  Batch batch;
  for (const auto& [segment, plane, block] : dead)
    if (live_segments.contains(segment))
      batch.remove(Table::blocks, block_key(segment, plane, block));
  if (auto status = database_->write(batch); !status) return status;
  for (const std::uint64_t segment : segments(dead)) {
    if (!live_segments.contains(segment)) {
      if (auto status = erase_segment(segment); !status) return status;
      continue;
    }
    const auto live_here = std::count_if(
        live.begin(), live.end(), [segment](const BlockId& id) { return id.segment == segment; });
    const std::string first = segment_first_key(segment), last = segment_last_key(segment);
    // Rewriting what lives costs its size, so wait until that frees at least as much.
    if (database_->stored_bytes(Table::blocks, first, last) <
        2 * block_bytes * static_cast<std::uint64_t>(live_here))
      continue;
    if (auto status = database_->compact(Table::blocks, first, last); !status) return status;
  }
  return ok();
}

Status CheckpointStore::erase_segment(std::uint64_t segment) {
  return database_->erase(Table::blocks, segment_first_key(segment), segment_last_key(segment));
}

}  // namespace slime::storage
