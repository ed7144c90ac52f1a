#include "storage/opened_stores.hpp"

namespace slime::storage {

Result<const CheckpointStore*> OpenedStores::of(const std::string& node) {
  auto found = stores_.find(node);
  if (found == stores_.end()) {
    auto opened = CheckpointStore::open(directory_ / node, OpenMode::read_only);
    // What else is wrong may be over the next time.
    if (!opened && opened.error().code != Errc::corruption) return opened.error();
    found = stores_.emplace(node, std::move(opened)).first;
  }
  if (!found->second) return found->second.error();
  return &*found->second;
}

}  // namespace slime::storage
