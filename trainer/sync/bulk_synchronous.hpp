#pragma once

#include "trainer/sync/sync_mode.hpp"

namespace slime::trainer {

/// Bulk synchronous parallel: every update of an iteration is computed at the parameters that the
/// iteration before left behind.
class BulkSynchronous final : public SyncMode {
 public:
  std::string_view name() const override { return "bsp"; }
  bool committed() const override { return true; }
  std::uint32_t slack(std::size_t, std::span<const IterationTiming>) const override { return 0; }
};

}  // namespace slime::trainer
