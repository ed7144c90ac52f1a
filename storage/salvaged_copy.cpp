#include "storage/salvaged_copy.hpp"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "storage/table_files.hpp"

namespace slime::storage {

namespace fs = std::filesystem;

Result<SalvagedCopy> SalvagedCopy::make(const fs::path& store) {
  const auto tables = table_files(store);
  if (tables.empty())
    return Error{Errc::not_found, "reading store " + store.string() + ": it has no table files"};
  const auto failed = [&store](const fs::path& path, const std::string& why) {
    return Error{Errc::io_error, "making " + path.string() + " to read damaged store " +
                                     store.string() + ": " + why + remedy(store)};
  };
  std::error_code failure;
  const fs::path absolute = fs::absolute(store, failure);
  const fs::path temporary = fs::temp_directory_path(failure);
  if (failure) return failed("a folder in the one that TMPDIR names", failure.message());
  std::string pattern = (temporary / "slime-salvage-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) return failed(pattern, std::strerror(errno));
  SalvagedCopy copy{fs::path(pattern)};
  for (const auto& name : tables) {
    const fs::path link = copy.folder_ / name;
    fs::create_symlink(absolute / name, link, failure);
    if (failure) return failed(link, failure.message());
  }
  return copy;
}

std::string SalvagedCopy::remedy(const fs::path& store) {
  // Links, a list of them, and what RocksDB sets aside for that list.
  const std::size_t bytes = (std::size_t{8} << 20) + (table_files(store).size() << 12);
  return "; set TMPDIR to a folder that can be written and has " + std::to_string(bytes) +
         " bytes free";
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
