#include "trainer/sync/modes.hpp"

#include <array>
#include <string>

#include "trainer/sync/bulk_synchronous.hpp"
#include "trainer/sync/dynamic_synchronous.hpp"

namespace slime::trainer {

namespace {

std::unique_ptr<SyncMode> make_bsp(const SyncOptions&) {
  return std::make_unique<BulkSynchronous>();
}
std::unique_ptr<SyncMode> make_a_dsp(const SyncOptions& options) {
  return std::make_unique<DynamicSynchronous>(options.staleness_max);
}

constexpr std::array entries{
    SyncModeEntry{"bsp", "all wait for all after every iteration", make_bsp},
    SyncModeEntry{"a_dsp", "as far ahead as noise and latency ask for, at most staleness_max",
                  make_a_dsp},
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
