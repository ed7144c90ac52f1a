#pragma once

#include <map>
#include <optional>
#include <string>

#include "actors/system/state_keeper.hpp"

namespace slime::actors {

/// What a simulated head keeps: it outlives the simulated process, not ours. Confined to one
/// thread.
class KeptInMemory final : public StateKeeper {
 public:
  Status write(std::span<const KeptChange> changes) override {
    if (broken) return *broken;
    for (const auto& [key, state] : changes) {
      if (state)
        entries.insert_or_assign(key, *state);
      else
        entries.erase(key);
    }
    return ok();
  }
  Status visit(
      std::string_view prefix,
      const std::function<void(std::string_view, const runtime::Words&)>& use) const override {
    for (auto at = entries.lower_bound(prefix);
         at != entries.end() && at->first.starts_with(prefix); ++at)
      use(at->first, at->second);
    return ok();
  }

  std::map<std::string, runtime::Words, std::less<>> entries;
  std::optional<Error> broken;  ///< What every further write fails with.
};

}  // namespace slime::actors
