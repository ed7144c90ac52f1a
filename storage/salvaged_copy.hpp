#pragma once

#include <filesystem>
#include <optional>

namespace slime::storage {

/// A temporary folder with links to the table files of a store whose bookkeeping is damaged, so
/// that a repair there makes them readable while the store stays as it is. Goes with the object.
class SalvagedCopy {
 public:
  /// None: `store` has no table files, or the folder could not be made.
  static std::optional<SalvagedCopy> make(const std::filesystem::path& store);

  SalvagedCopy(SalvagedCopy&& other) noexcept;
  SalvagedCopy& operator=(SalvagedCopy&& other) noexcept;
  ~SalvagedCopy();

  const std::filesystem::path& folder() const { return folder_; }

 private:
  explicit SalvagedCopy(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_;  ///< Empty: moved from.
};

}  // namespace slime::storage
