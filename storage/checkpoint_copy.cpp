#include "storage/checkpoint_copy.hpp"

#include <capnp/message.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "storage/checkpoint_reader.hpp"

namespace slime::storage {

namespace {

/// Parameters in memory at a time, each with its slots; a part of the copy has as many.
constexpr std::uint64_t part_parameters = 128 * block_parameters;

/// The same manifest, naming these parts of one node.
Manifest with_parts(const Manifest& manifest, const std::string& node,
                    std::span<const PartInfo> parts) {
  return manifest.read([&](schema::CheckpointManifest::Reader read) {
    capnp::MallocMessageBuilder draft;
    draft.setRoot(read);
    auto root = draft.getRoot<schema::CheckpointManifest>();
    name_parts(root, node, parts);
    return Manifest::copy(root.asReader());
  });
}

/// Whether all but where the parts lie is equal.
bool is_same(const Manifest& a, const Manifest& b) {
  return encode(with_parts(a, "", {})) == encode(with_parts(b, "", {}));
}

class Copy {
 public:
  Copy(const CheckpointReader& reader, const Manifest& manifest, CheckpointStore& destination)
      : reader_(reader),
        manifest_(manifest),
        destination_(destination),
        planes_(1 + reader.slots()) {}

  Result<CopiedCheckpoint> run(const std::function<bool()>& stop) {
    const std::uint64_t parameters = parameters_of(manifest_);
    for (std::uint64_t first = 0; first < parameters; first += part_parameters) {
      if (stop()) {
        copied_.stopped = true;
        return copied_;
      }
      const Status status = copy_part(first, std::min(part_parameters, parameters - first));
      if (!status) return status.error();
    }
    const std::string node = destination_.folder().filename();
    const Status committed = destination_.commit(with_parts(manifest_, node, parts_));
    if (!committed) return committed.error();
    return copied_;
  }

 private:
  Status copy_part(std::uint64_t first, std::uint64_t count) {
    std::vector<std::span<float>> read;
    for (auto& plane : planes_) {
      plane.resize(count);
      read.push_back(plane);
    }
    const auto slots = std::span(read).subspan(1);
    if (Status got = reader_.read(first, planes_.front(), slots); !got) return got;
    const PartHeader header{id_of(manifest_), version(), first};
    const std::vector<std::span<const float>> written(slots.begin(), slots.end());
    auto part = destination_.write_part(header, planes_.front(), written);
    if (!part) return part.error();
    const auto record = destination_.part(part->key, part->checksum);
    if (!record) return record.error();
    if (Status whole = destination_.verify_part(*record); !whole) return whole;
    ++copied_.parts;
    copied_.written_bytes += part->own_bytes;
    copied_.shared_bytes += part->shared_bytes;
    parts_.push_back(std::move(*part));
    return ok();
  }

  std::uint64_t version() const {
    return manifest_.read([](auto read) { return read.getVersion(); });
  }

  const CheckpointReader& reader_;
  const Manifest& manifest_;
  CheckpointStore& destination_;
  std::vector<std::vector<float>> planes_;
  std::vector<PartInfo> parts_;
  CopiedCheckpoint copied_;
};

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

Result<CopiedCheckpoint> copy_checkpoint(const std::shared_ptr<OpenedStores>& source,
                                         const Manifest& manifest, CheckpointStore& destination,
                                         const std::function<bool()>& stop) {
  const auto reader = CheckpointReader::open(source, manifest);
  if (!reader) return reader.error();
  destination.accept_earlier_terms();
  const auto there = is_there(manifest, destination);
  if (!there) return there.error();
  if (*there) return CopiedCheckpoint{.was_there = true};
  return Copy(*reader, manifest, destination).run(stop);
}

}  // namespace slime::storage
