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

Result<OpenedPart> OpenedStores::part(schema::StoredPart::Reader stored) {
  const auto store = of(stored.getNode());
  if (!store) {
    Error error = store.error();
    // The manifest says that it was there.
    if (error.code == Errc::not_found) error.code = Errc::corruption;
    return error;
  }
  auto record = (*store)->part(stored.getKey(), stored.getChecksum());
  if (!record) return record.error();
  if (record->header.first != stored.getFirst() || record->count != stored.getCount())
    return Error{Errc::corruption, "reading part \"" + record->key + "\" in store " +
                                       (*store)->folder().string() +
                                       ": it does not fit the manifest"};
  return OpenedPart{*store, std::move(*record)};
}

}  // namespace slime::storage
