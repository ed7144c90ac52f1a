#include "storage/pruning.hpp"

#include <algorithm>
#include <set>

#include "storage/chosen_valid.hpp"
#include "storage/committed_checkpoints.hpp"
#include "storage/pins.hpp"

namespace slime::storage {

namespace {

namespace fs = std::filesystem;

RetentionCandidate candidate_of(CheckpointId id, const Result<Manifest>& manifest, bool pinned) {
  RetentionCandidate candidate{.id = id, .pinned = pinned, .damaged = !manifest};
  if (manifest) candidate.accuracy = manifest->read([](auto read) { return read.getAccuracy(); });
  return candidate;
}

/// What is missing may be back tomorrow, so its checkpoints do not count as damaged.
Status check_stores_of(const CommittedCheckpoint& checkpoint, const Manifest& manifest,
                       const std::vector<std::string>& present) {
  return manifest.read([&](schema::CheckpointManifest::Reader read) -> Status {
    for (const auto part : read.getParts())
      if (const std::string node = part.getNode(); std::ranges::count(present, node) == 0)
        return Error{Errc::not_found, "pruning: store " + node + ", which has a part of " +
                                          to_string(checkpoint.id) +
                                          ", is not there; bring it back first"};
    return ok();
  });
}

/// Drops from all stores what the plan does not keep. Manifests go first, from all of them, so that
/// none is ever there whose parts are gone.
Status carry_out(std::vector<CheckpointStore>& stores, const PruningPlan& plan) {
  std::vector<CheckpointId> kept, dropped;
  for (const auto& entry : plan.entries)
    (entry.because.any() ? kept : dropped).push_back(entry.checkpoint.id);
  // Two stores may have a checkpoint of one name, and its parts are known by no more than that.
  std::erase_if(dropped, [&kept](CheckpointId id) { return std::ranges::count(kept, id) > 0; });
  for (CheckpointStore& store : stores)
    if (Status withdrawn = store.withdraw(dropped); !withdrawn) return withdrawn;
  // Damaged ones, and what was never committed, may be newer than all that are kept.
  for (CheckpointStore& store : stores)
    if (Status retained = store.retain_only(kept); !retained) return retained;
  return ok();
}

}  // namespace

Result<std::vector<CheckpointId>> prune_run(CheckpointStore& head, const RetentionRules& rules,
                                            std::uint64_t run) {
  const fs::path directory = head.folder().parent_path();
  const auto lock = PinLock::acquire(directory);
  if (!lock) return lock.error();
  const auto pins = pinned_checkpoints(directory);
  if (!pins) return pins.error();
  std::vector<CheckpointId> kept;
  std::vector<RetentionCandidate> candidates;
  for (const CheckpointId id : head.list()) {
    const auto manifest = head.manifest(id);
    // What cannot be read now may be whole.
    if (!manifest && manifest.error().code != Errc::corruption) return manifest.error();
    if (manifest && run_of(*manifest) != run)
      kept.push_back(id);
    else
      candidates.push_back(candidate_of(id, manifest, pins->contains(id)));
  }
  const auto because = decide_retention(candidates, rules);
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (because[i].any()) kept.push_back(candidates[i].id);
  if (kept.empty()) return kept;
  // Other nodes may have parts that manifests of another head name. What is newer than all of these
  // is left alone anyhow, and may be on its way.
  const CheckpointId newest = *std::ranges::max_element(kept);
  std::set<CheckpointId> others = *pins;
  OpenedStores stores(directory);
  const auto found = committed_checkpoints(stores);
  if (!found) return found.error();
  const std::string own = head.folder().filename();
  for (const CommittedCheckpoint& one : found->all)
    if (one.head != own) others.insert(one.id);
  std::ranges::copy_if(others, std::back_inserter(kept), [&](CheckpointId id) {
    return id < newest && std::ranges::count(kept, id) == 0;
  });
  if (Status retained = head.retain(kept); !retained) return retained.error();
  return kept;
}

Result<PruningPlan> plan_pruning(const fs::path& directory, const RetentionRules& rules) {
  OpenedStores stores(directory);
  const auto found = committed_checkpoints(stores);
  if (!found) return found.error();
  if (!found->unreadable.empty()) return found->unreadable.front();
  const auto pins = pinned_checkpoints(directory);
  if (!pins) return pins.error();
  PruningPlan plan;
  std::vector<RetentionCandidate> candidates;
  for (const CommittedCheckpoint& one : found->all) {
    const auto store = stores.of(one.head);
    const auto manifest = store ? (*store)->manifest(one.id) : store.error();
    if (!manifest && manifest.error().code != Errc::corruption) return manifest.error();
    if (manifest)
      if (Status there = check_stores_of(one, *manifest, found->stores); !there)
        return there.error();
    candidates.push_back(candidate_of(one.id, manifest, pins->contains(one.id)));
  }
  const auto newest = chosen_valid(directory, {});
  if (!newest) return newest.error();
  for (const SkippedCheckpoint& skipped : newest->skipped)
    for (RetentionCandidate& candidate : candidates)
      candidate.damaged |= candidate.id == skipped.id;
  const auto because = decide_retention(candidates, rules);
  for (std::size_t i = 0; i < candidates.size(); ++i)
    plan.entries.push_back({found->all[i], candidates[i], because[i]});
  return plan;
}

Result<PruningPlan> prune_stores(const fs::path& directory, const RetentionRules& rules) {
  // All of them, before anything is decided: nobody may write to one meanwhile.
  OpenedStores listed(directory);
  const auto found = committed_checkpoints(listed);
  if (!found) return found.error();
  std::vector<CheckpointStore> stores;
  for (const std::string& name : found->stores) {
    auto store = CheckpointStore::open(directory / name, OpenMode::read_write);
    if (!store) return store.error();
    stores.push_back(std::move(*store));
  }
  const auto lock = PinLock::acquire(directory);
  if (!lock) return lock.error();
  auto plan = plan_pruning(directory, rules);
  if (!plan) return plan;
  if (Status done = carry_out(stores, *plan); !done) return done.error();
  return plan;
}

}  // namespace slime::storage
