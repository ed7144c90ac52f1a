#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "runtime/base/error.hpp"
#include "runtime/wire/message.hpp"
#include "schemas/checkpoint.capnp.h"
#include "storage/checkpoint_id.hpp"

namespace slime::storage {

/// Everything about a checkpoint but its parameters; names the parts that hold those.
using Manifest = runtime::Message<schema::CheckpointManifest>;

/// What was written; the manifest names it by key and checksum.
struct PartInfo {
  std::string key;
  std::uint32_t checksum = 0;  ///< Of the record, which holds those of all blocks.
  std::uint64_t first = 0;
  std::uint64_t count = 0;         ///< Parameters.
  std::uint64_t own_bytes = 0;     ///< Newly stored, values and slots.
  std::uint64_t shared_bytes = 0;  ///< Unchanged since the previous checkpoint of this store.
};

/// How a manifest names a part in the store of `node`.
void name_part(schema::StoredPart::Builder to, const std::string& node, const PartInfo& part);
/// The same for all parts of a manifest, which one node has.
void name_parts(schema::CheckpointManifest::Builder manifest, const std::string& node,
                std::span<const PartInfo> parts);

/// Precondition: `manifest` is well-formed.
CheckpointId id_of(const Manifest& manifest);
/// First term of the run that took it. Precondition: `manifest` is well-formed.
std::uint64_t run_of(const Manifest& manifest);
/// Parameters of the model. Precondition: `manifest` is well-formed.
std::uint64_t parameters_of(const Manifest& manifest);

/// Refuses a manifest whose parts do not hold each parameter exactly once, whose tensors do not
/// fill the model in order, or whose nodes could not be folders. Errors: invalid_argument.
Status check(const Manifest& manifest);

/// The catalog entry of a manifest, checksum included, and back. What `decode` gives is
/// well-formed and has passed `check`. Errors: corruption, with the key in its context.
std::string encode(const Manifest& manifest);
Result<Manifest> decode_manifest(std::string_view key, std::string_view entry);

}  // namespace slime::storage
