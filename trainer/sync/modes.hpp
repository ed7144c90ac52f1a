#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "runtime/base/error.hpp"
#include "trainer/sync/sync_mode.hpp"

namespace slime::trainer {

struct SyncOptions {
  std::uint32_t staleness_max = 0;  ///< The weak threshold w; modes without one ignore it.
  std::uint32_t staleness_min = 0;  ///< The lower threshold of dssp; others ignore it.
  std::uint32_t lead_max = SyncMode::lead_max;  ///< Of asp; never more than the default.
};

struct SyncModeEntry {
  std::string_view name;
  std::string_view summary;  ///< One line for people who choose.
  std::unique_ptr<SyncMode> (*make)(const SyncOptions& options);
};

/// Every synchronisation mode there is.
std::span<const SyncModeEntry> sync_modes();

/// Errors: not_found (`context` lists the names there are).
Result<std::unique_ptr<SyncMode>> make_sync_mode(std::string_view name, const SyncOptions& options);

}  // namespace slime::trainer
