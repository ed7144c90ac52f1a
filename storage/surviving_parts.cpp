#include "storage/surviving_parts.hpp"

#include <algorithm>
#include <optional>
#include <system_error>

#include "storage/opened_stores.hpp"

namespace slime::storage {

namespace {

/// Whether `store` has all that `manifest` names of `node`; nothing if it names nothing.
std::optional<bool> survives(const Manifest& manifest, const std::string& node,
                             const Result<const CheckpointStore*>& store) {
  return manifest.read([&](schema::CheckpointManifest::Reader read) -> std::optional<bool> {
    std::optional<bool> whole;
    for (const auto stored : read.getParts()) {
      if (stored.getNode() != node) continue;
      if (!store) return false;
      const auto record = (*store)->part(stored.getKey(), stored.getChecksum());
      if (!record || !(*store)->verify_part(*record)) return false;
      whole = true;
    }
    return whole;
  });
}

}  // namespace

SurvivingParts surviving_parts(const std::filesystem::path& directory, const std::string& node) {
  SurvivingParts parts;
  OpenedStores stores(directory);
  const auto store = stores.of(node);
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(directory, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const auto head = stores.of(entry->path().filename());
    if (!head) continue;
    for (const CheckpointId id : (*head)->list()) {
      const auto manifest = (*head)->manifest(id);
      if (!manifest) continue;
      if (const auto whole = survives(*manifest, node, store))
        (*whole ? parts.whole : parts.incomplete).push_back(id);
    }
  }
  std::ranges::sort(parts.whole);
  std::ranges::sort(parts.incomplete);
  return parts;
}

}  // namespace slime::storage
