#include "storage/committed_checkpoints.hpp"

#include <algorithm>
#include <system_error>

namespace slime::storage {

namespace fs = std::filesystem;

Result<CommittedCheckpoints> committed_checkpoints(OpenedStores& stores) {
  const fs::path& directory = stores.directory();
  CommittedCheckpoints found;
  std::error_code failure;
  for (fs::directory_iterator entry(directory, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    std::error_code gone;
    if (!entry->is_directory(gone)) continue;
    const std::string name = entry->path().filename();
    const auto store = stores.of(name);
    if (!store && store.error().code == Errc::not_found) continue;
    found.stores.push_back(name);
    if (!store) {
      found.unreadable.push_back(store.error());
      continue;
    }
    for (const CheckpointId id : (*store)->list()) found.all.push_back({id, name});
  }
  const std::string attempted = "listing the checkpoints in " + directory.string() + ": ";
  if (failure)
    return Error{failure == std::errc::no_such_file_or_directory ? Errc::not_found : Errc::io_error,
                 attempted + failure.message()};
  if (found.stores.empty())
    return Error{Errc::not_found, attempted + "there are none, nor a store"};
  std::ranges::sort(found.stores);
  std::ranges::stable_sort(found.all, {}, &CommittedCheckpoint::id);
  return found;
}

}  // namespace slime::storage
