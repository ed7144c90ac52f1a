#include "storage/checkpoint_copy.hpp"

#include <capnp/message.h>

#include <algorithm>
#include <utility>

namespace slime::storage {

namespace {

/// Parameters in memory at a time, each with its slots; a part of the copy has as many.
constexpr std::uint64_t part_parameters = 128 * block_parameters;

template <class Change>
Manifest changed(const Manifest& manifest, Change&& change) {
  return manifest.read([&](schema::CheckpointManifest::Reader read) {
    capnp::MallocMessageBuilder draft;
    draft.setRoot(read);
    change(draft.getRoot<schema::CheckpointManifest>());
    return Manifest::copy(draft.getRoot<schema::CheckpointManifest>().asReader());
  });
}

/// The same manifest, naming these parts of one node.
Manifest with_parts(const Manifest& manifest, const std::string& node,
                    std::span<const PartInfo> parts) {
  return changed(manifest,
                 [&](schema::CheckpointManifest::Builder root) { name_parts(root, node, parts); });
}

Manifest with_owner(const Manifest& manifest, CopyOwner owner) {
  if (owner == CopyOwner::its_run) return manifest;
  return changed(manifest, [](schema::CheckpointManifest::Builder root) { root.setRunTerm(0); });
}

/// Whether all is equal but where the parts lie and whose it is.
bool is_same(const Manifest& a, const Manifest& b) {
  const auto essence = [](const Manifest& manifest) {
    return encode(with_parts(with_owner(manifest, CopyOwner::nobody), "", {}));
  };
  return essence(a) == essence(b);
}

/// Whether the destination has it, whole; what it has of a damaged copy is removed.
Result<bool> is_there(const Manifest& manifest, CheckpointStore& destination) {
  const CheckpointId id = id_of(manifest);
  const auto found = destination.manifest(id);
  if (!found && found.error().code == Errc::not_found) return false;
  if (!found && found.error().code != Errc::corruption) return found.error();
  if (found && !is_same(*found, manifest))
    return Error{Errc::already_exists, "copying " + to_string(id) + " to store " +
                                           destination.folder().string() +
                                           ": another checkpoint of that name is there; name "
                                           "another directory"};
  if (found) {
    const auto reader = CheckpointReader::open(destination.folder().parent_path(), *found);
    if (reader && reader->verify()) return true;
  }
  if (Status removed = destination.remove(id); !removed) return removed.error();
  return false;
}

}  // namespace

Result<CheckpointCopying> CheckpointCopying::begin(const std::shared_ptr<OpenedStores>& source,
                                                   const Manifest& manifest,
                                                   CheckpointStore& destination, CopyOwner owner) {
  auto reader = CheckpointReader::open(source, manifest);
  if (!reader) return reader.error();
  const auto there = is_there(manifest, destination);
  if (!there) return there.error();
  CheckpointCopying copying(std::move(*reader), with_owner(manifest, owner), destination);
  copying.copied_.was_there = *there;
  return copying;
}

Result<bool> CheckpointCopying::step() {
  if (copied_.was_there) return true;
  const std::uint64_t parameters = parameters_of(manifest_);
  if (done_ < parameters) {
    const std::uint64_t count = std::min(part_parameters, parameters - done_);
    if (Status copied = copy_part(done_, count); !copied) return copied.error();
    done_ += count;
    return false;
  }
  const std::string node = destination_->folder().filename();
  const Status committed = destination_->commit(with_parts(manifest_, node, parts_));
  if (!committed) return committed.error();
  return true;
}

Status CheckpointCopying::copy_part(std::uint64_t first, std::uint64_t count) {
  std::vector<std::span<float>> read;
  for (auto& plane : planes_) {
    plane.resize(count);
    read.push_back(plane);
  }
  const auto slots = std::span(read).subspan(1);
  if (Status got = reader_.read(first, planes_.front(), slots); !got) return got;
  const std::uint64_t version = manifest_.read([](auto root) { return root.getVersion(); });
  const PartHeader header{id_of(manifest_), version, first};
  const std::vector<std::span<const float>> written(slots.begin(), slots.end());
  auto part = destination_->write_part(header, planes_.front(), written);
  if (!part) return part.error();
  const auto record = destination_->part(part->key, part->checksum);
  if (!record) return record.error();
  if (Status whole = destination_->verify_part(*record); !whole) return whole;
  ++copied_.parts;
  copied_.written_bytes += part->own_bytes;
  copied_.shared_bytes += part->shared_bytes;
  parts_.push_back(std::move(*part));
  return ok();
}

Result<CopiedCheckpoint> copy_checkpoint(const std::shared_ptr<OpenedStores>& source,
                                         const Manifest& manifest, CheckpointStore& destination,
                                         const std::function<bool()>& stop) {
  destination.accept_earlier_terms();
  auto copying = CheckpointCopying::begin(source, manifest, destination, CopyOwner::nobody);
  if (!copying) return copying.error();
  for (;;) {
    if (stop()) {
      CopiedCheckpoint copied = copying->copied();
      copied.stopped = true;
      return copied;
    }
    const auto done = copying->step();
    if (!done) return done.error();
    if (*done) return copying->copied();
  }
}

}  // namespace slime::storage
