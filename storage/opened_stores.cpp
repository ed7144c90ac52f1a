#include "storage/opened_stores.hpp"

namespace slime::storage {

Result<const CheckpointStore*> OpenedStores::of(const std::string& node) {
  auto found = stores_.find(node);
  if (found == stores_.end())
    found =
        stores_.emplace(node, CheckpointStore::open(directory_ / node, OpenMode::read_only)).first;
  if (!found->second) return found->second.error();
  return &*found->second;
}

}  // namespace slime::storage
