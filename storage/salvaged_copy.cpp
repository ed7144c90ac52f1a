#include "storage/salvaged_copy.hpp"

#include <stdlib.h>

#include <system_error>
#include <utility>

#include "storage/table_files.hpp"

namespace slime::storage {

namespace fs = std::filesystem;

std::optional<SalvagedCopy> SalvagedCopy::make(const fs::path& store) {
  const auto tables = table_files(store);
  if (tables.empty()) return std::nullopt;
  std::error_code failure;
  const fs::path absolute = fs::absolute(store, failure);
  std::string pattern = (fs::temp_directory_path(failure) / "slime-salvage-XXXXXX").string();
  if (failure || !::mkdtemp(pattern.data())) return std::nullopt;
  SalvagedCopy copy{fs::path(pattern)};
  for (const auto& name : tables) {
    fs::create_symlink(absolute / name, copy.folder_ / name, failure);
    if (failure) return std::nullopt;
  }
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
