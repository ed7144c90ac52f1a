#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "runtime/base/error.hpp"

namespace slime::storage {

/// A temporary folder with links to the table files of a store whose bookkeeping is damaged, so
/// that a repair there makes them readable while the store stays as it is. Goes with the object.
class SalvagedCopy {
 public:
  /// In the folder that TMPDIR names, or /tmp. Errors: not_found (`store` has no table files),
  /// io_error (the folder could not be made; says what to do).
  static Result<SalvagedCopy> make(const std::filesystem::path& store);

  SalvagedCopy(SalvagedCopy&& other) noexcept;
  SalvagedCopy& operator=(SalvagedCopy&& other) noexcept;
  ~SalvagedCopy();

  const std::filesystem::path& folder() const { return folder_; }

  /// Ends the context of an error about a copy of `store` that could not be made or repaired.
  static std::string remedy(const std::filesystem::path& store);

 private:
  explicit SalvagedCopy(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_;  ///< Empty: moved from.
};

}  // namespace slime::storage
