#include "storage/newest_valid.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "storage/checkpoint_reader.hpp"

namespace slime::storage {

namespace {

Result<Manifest> verified(const std::shared_ptr<OpenedStores>& stores, const CheckpointStore& head,
                          CheckpointId id) {
  auto manifest = head.manifest(id);
  if (!manifest) return manifest;
  const auto reader = CheckpointReader::open(stores, *manifest);
  if (!reader) return reader.error();
  if (auto status = reader->verify(); !status) return status.error();
  return manifest;
}

}  // namespace

Status verify(const std::filesystem::path& directory, const std::string& head, CheckpointId id) {
  const auto stores = std::make_shared<OpenedStores>(directory);
  const auto store = stores->of(head);
  if (!store) return store.error();
  const auto manifest = verified(stores, **store, id);
  if (!manifest) return manifest.error();
  return ok();
}

Result<ValidCheckpoint> newest_valid(const std::filesystem::path& directory,
                                     const std::string& head) {
  const auto stores = std::make_shared<OpenedStores>(directory);
  const auto store = stores->of(head);
  if (!store) return store.error();
  auto ids = (*store)->list();
  std::reverse(ids.begin(), ids.end());
  ValidCheckpoint found;
  for (const auto id : ids) {
    auto manifest = verified(stores, **store, id);
    if (manifest) {
      found.manifest = std::move(*manifest);
      return found;
    }
    found.skipped.push_back({id, manifest.error()});
  }
  const std::string attempted = "looking for a checkpoint in store " + (*store)->folder().string();
  if (found.skipped.empty()) return Error{Errc::not_found, attempted + ": there is none"};
  std::string context = attempted + ": none is valid, so there is nothing to resume from";
  for (const auto& [id, why] : found.skipped) context += "; " + to_string(id) + ": " + why.context;
  return Error{Errc::corruption, std::move(context)};
}

}  // namespace slime::storage
