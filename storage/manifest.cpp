#include "storage/manifest.hpp"

#include <kj/exception.h>

#include "storage/checksum.hpp"
#include "storage/part_record.hpp"

namespace slime::storage {

namespace {

Error wrong(CheckpointId id, const std::string& why) {
  return {Errc::invalid_argument, "manifest of " + to_string(id) + ": " + why};
}

bool can_be_folder(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

// Far above any model, and low enough that sums over a manifest's lists cannot overflow.
constexpr std::uint64_t size_max = std::uint64_t{1} << 48;

/// 0 for an impossible shape.
std::uint64_t size_of(schema::StoredTensor::Reader tensor) {
  std::uint64_t size = 1;
  for (const std::uint64_t extent : tensor.getShape()) {
    if (extent == 0 || extent > size_max / size) return 0;
    size *= extent;
  }
  return size;
}

Status check(schema::CheckpointManifest::Reader manifest) {
  const CheckpointId id{manifest.getTerm(), manifest.getIteration()};
  std::uint64_t covered = 0;
  for (const auto part : manifest.getParts()) {
    if (!can_be_folder(part.getNode().cStr()))
      return wrong(id, std::string("\"").append(part.getNode()).append("\" cannot name a node"));
    if (part.getFirst() != covered || part.getCount() == 0 || part.getCount() > size_max ||
        part.getFirst() % block_parameters != 0)
      return wrong(id, "its parts do not hold parameter " + std::to_string(covered) +
                           " exactly once, from a block's start");
    covered += part.getCount();
  }
  std::uint64_t filled = 0;
  for (const auto tensor : manifest.getTensors()) {
    const std::uint64_t size = size_of(tensor);
    if (size == 0 || tensor.getOffset() != filled)
      return wrong(id, "tensor \"" + std::string(tensor.getName()) +
                           "\" does not follow the one "
                           "before it");
    filled += size;
  }
  if (covered != filled || covered == 0)
    return wrong(id, "its parts hold " + std::to_string(covered) + " parameters, its tensors " +
                         std::to_string(filled));
  return ok();
}

}  // namespace

void name_part(schema::StoredPart::Builder to, const std::string& node, const PartInfo& part) {
  to.setNode(node);
  to.setKey(part.key);
  to.setChecksum(part.checksum);
  to.setFirst(part.first);
  to.setCount(part.count);
  to.setBytes(part.own_bytes + part.shared_bytes);
}

void name_parts(schema::CheckpointManifest::Builder manifest, const std::string& node,
                std::span<const PartInfo> parts) {
  auto named = manifest.initParts(static_cast<unsigned>(parts.size()));
  for (unsigned i = 0; i < named.size(); ++i) name_part(named[i], node, parts[i]);
}

CheckpointId id_of(const Manifest& manifest) {
  return manifest.read([](schema::CheckpointManifest::Reader root) {
    return CheckpointId{root.getTerm(), root.getIteration()};
  });
}

std::uint64_t run_of(const Manifest& manifest) {
  return manifest.read([](schema::CheckpointManifest::Reader root) { return root.getRunTerm(); });
}

std::uint64_t parameters_of(const Manifest& manifest) {
  return manifest.read([](schema::CheckpointManifest::Reader root) {
    std::uint64_t count = 0;
    for (const auto part : root.getParts()) count += part.getCount();
    return count;
  });
}

Status check(const Manifest& manifest) {
  return manifest.read([](schema::CheckpointManifest::Reader root) { return check(root); });
}

std::string encode(const Manifest& manifest) {
  return seal(manifest.words());
}

Result<Manifest> decode_manifest(std::string_view key, std::string_view entry) {
  const auto damaged = [key](const std::string& why) {
    return Error{Errc::corruption, "reading manifest \"" + std::string(key) + "\": " + why};
  };
  const auto words = unseal(std::as_bytes(std::span(entry)));
  if (!words) return damaged(words.error().context);
  Manifest manifest = Manifest::adopt(*words);
  try {
    const Status status = manifest.read([](schema::CheckpointManifest::Reader root) -> Status {
      // Visits every pointer, so that later reads cannot meet a malformed one.
      root.totalSize();
      return check(root);
    });
    if (!status) return damaged(status.error().context);
    if (checkpoint_of(key) != id_of(manifest))
      return damaged("it is of " + to_string(id_of(manifest)));
  } catch (const kj::Exception& exception) {
    return damaged(exception.getDescription().cStr());
  }
  return manifest;
}

}  // namespace slime::storage
