#include "storage/latest_term.hpp"

#include <algorithm>
#include <system_error>

#include "storage/checkpoint_store.hpp"

namespace slime::storage {

std::uint64_t latest_term(const std::filesystem::path& directory) {
  std::uint64_t latest = 0;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(directory, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const auto store = CheckpointStore::open(entry->path(), OpenMode::read_only);
    if (store) latest = std::max(latest, store->latest_term());
  }
  return latest;
}

}  // namespace slime::storage
