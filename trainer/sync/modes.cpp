#include "trainer/sync/modes.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "trainer/sync/asynchronous.hpp"
#include "trainer/sync/bulk_synchronous.hpp"
#include "trainer/sync/dynamic_stale_synchronous.hpp"
#include "trainer/sync/dynamic_synchronous.hpp"
#include "trainer/sync/stale_synchronous.hpp"

namespace slime::trainer {

namespace {

std::unique_ptr<SyncMode> make_bsp(const SyncOptions&) {
  return std::make_unique<BulkSynchronous>();
}
std::unique_ptr<SyncMode> make_asp(const SyncOptions& options) {
  return std::make_unique<Asynchronous>(std::min(options.lead_max, SyncMode::lead_max));
}
std::unique_ptr<SyncMode> make_ssp(const SyncOptions& options) {
  return std::make_unique<StaleSynchronous>(options.staleness_max);
}
std::unique_ptr<SyncMode> make_dsp(const SyncOptions& options) {
  return std::make_unique<DynamicSynchronous>(options.staleness_max, "dsp");
}
std::unique_ptr<SyncMode> make_dssp(const SyncOptions& options) {
  return std::make_unique<DynamicStaleSynchronous>(options.staleness_min, options.staleness_max);
}
std::unique_ptr<SyncMode> make_a_dsp(const SyncOptions& options) {
  return std::make_unique<DynamicSynchronous>(options.staleness_max, "a_dsp");
}

constexpr std::array entries{
    SyncModeEntry{"bsp", "all wait for all after every iteration", make_bsp},
    SyncModeEntry{"asp", "nobody waits; work is taken on demand", make_asp},
    SyncModeEntry{"ssp", "staleness_max iterations ahead, always", make_ssp},
    SyncModeEntry{"dsp", "as far ahead as noise and latency ask for, at most staleness_max",
                  make_dsp},
    SyncModeEntry{"dssp", "between staleness_min and staleness_max, where the wait is least",
                  make_dssp},
    SyncModeEntry{"a_dsp", "dsp with shares by adapt_fr", make_a_dsp},
};

}  // namespace

std::span<const SyncModeEntry> sync_modes() {
  return entries;
}

Result<std::unique_ptr<SyncMode>> make_sync_mode(std::string_view name,
                                                 const SyncOptions& options) {
  std::string known;
  for (const SyncModeEntry& entry : entries) {
    if (entry.name == name) return entry.make(options);
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  return Error{Errc::not_found,
               "sync mode \"" + std::string(name) + "\": there is none; known are " + known};
}

}  // namespace slime::trainer
