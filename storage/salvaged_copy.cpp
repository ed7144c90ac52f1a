#include "storage/salvaged_copy.hpp"

#include <stdlib.h>

#include <system_error>
#include <utility>

#include "storage/store_format.hpp"

namespace slime::storage {

namespace fs = std::filesystem;

std::optional<SalvagedCopy> SalvagedCopy::make(const fs::path& store) {
  if (!holds_table_files(store)) return std::nullopt;
  std::error_code failure;
  const fs::path absolute = fs::absolute(store, failure);
  std::string pattern = (fs::temp_directory_path(failure) / "slime-salvage-XXXXXX").string();
  if (failure || !::mkdtemp(pattern.data())) return std::nullopt;
  SalvagedCopy copy{fs::path(pattern)};
  fs::directory_iterator entry(absolute, failure);
  for (; !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
    if (entry->path().extension() != ".sst") continue;
    fs::create_symlink(entry->path(), copy.folder_ / entry->path().filename(), failure);
    if (failure) break;
  }
  if (failure) return std::nullopt;
  return copy;
}

SalvagedCopy::SalvagedCopy(SalvagedCopy&& other) noexcept
    : folder_(std::exchange(other.folder_, {})) {}

SalvagedCopy& SalvagedCopy::operator=(SalvagedCopy&& other) noexcept {
  std::swap(folder_, other.folder_);
  return *this;
}

SalvagedCopy::~SalvagedCopy() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

}  // namespace slime::storage
