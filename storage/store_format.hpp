#pragma once

#include <filesystem>

#include "runtime/base/error.hpp"

namespace slime::storage {

/// What one may do about a damaged store; ends an error's context.
inline constexpr const char* damaged_remedy =
    "; restore the folder from a copy, or let slime train --resume repair it, which gives up what "
    "was in damaged files and keeps every checkpoint that is whole";

/// Refuses a folder in which opening would make an empty database out of a damaged one. The file
/// FORMAT is the last that is written when a store is made, so it tells a store from a beginning.
/// Errors: corruption, incompatible (written by a newer version), not_found (no store).
Status check_format(const std::filesystem::path& folder);

/// Marks `folder` as a complete store, unless it is marked. Durable. Errors: io_error.
Status mark_format(const std::filesystem::path& folder);

}  // namespace slime::storage
