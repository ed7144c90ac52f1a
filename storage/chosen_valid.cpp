#include "storage/chosen_valid.hpp"

#include <utility>

#include "storage/checkpoint_reader.hpp"

namespace slime::storage {

namespace {

namespace fs = std::filesystem;

/// The manifest of a checkpoint, all of which was read.
Result<Manifest> verified(const fs::path& directory, const CommittedCheckpoint& checkpoint) {
  // Opened anew, so that no store was opened before the checkpoint was committed.
  const auto stores = std::make_shared<OpenedStores>(directory);
  const auto head = stores->of(checkpoint.head);
  if (!head) return head.error();
  auto manifest = (*head)->manifest(checkpoint.id);
  if (!manifest) return manifest;
  const auto reader = CheckpointReader::open(stores, *manifest);
  if (!reader) return reader.error();
  if (const Status whole = reader->verify(); !whole) return whole.error();
  return manifest;
}

Result<ValidCheckpoint> newest_whole(const fs::path& directory,
                                     const std::vector<CommittedCheckpoint>& all) {
  ValidCheckpoint found;
  std::string damage;
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    auto manifest = verified(directory, *one);
    if (manifest) {
      found.manifest = std::move(*manifest);
      return found;
    }
    if (manifest.error().code == Errc::io_error) return manifest.error();
    found.skipped.push_back({one->id, manifest.error()});
    damage += "; " + to_string(one->id) + ": " + manifest.error().context;
  }
  return Error{Errc::corruption,
               "looking for a checkpoint in " + directory.string() + ": none is valid" + damage};
}

std::vector<SkippedCheckpoint> without_manifest(OpenedStores& stores,
                                                const std::vector<CommittedCheckpoint>& all) {
  std::vector<SkippedCheckpoint> skipped;
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    const auto store = stores.of(one->head);
    const auto manifest = store ? (*store)->manifest(one->id) : store.error();
    if (!manifest) skipped.push_back({one->id, manifest.error()});
  }
  return skipped;
}

}  // namespace

Result<ValidCheckpoint> chosen_valid(const fs::path& directory,
                                     const CheckpointSelector& selector) {
  OpenedStores stores(directory);
  // Finds out, too, that there is nothing to choose from.
  const auto chosen = select_checkpoint(stores, selector);
  if (!chosen) return chosen.error();
  const auto all = committed_checkpoints(stores);
  if (!all) return all.error();
  if (selector.kind == CheckpointSelector::Kind::newest) return newest_whole(directory, all->all);
  auto manifest = verified(directory, *chosen);
  if (!manifest)
    return Error{manifest.error().code, "reading the chosen checkpoint, " + to_string(chosen->id) +
                                            ", in " + directory.string() + ": " +
                                            manifest.error().context + "; " +
                                            those_there_are(all->all)};
  ValidCheckpoint found{std::move(*manifest), {}};
  if (selector.kind == CheckpointSelector::Kind::best)
    found.skipped = without_manifest(stores, all->all);
  return found;
}

}  // namespace slime::storage
