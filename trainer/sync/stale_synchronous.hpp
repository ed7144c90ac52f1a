#pragma once

#include "trainer/sync/sync_mode.hpp"

namespace slime::trainer {

/// Stale synchronous parallel (Ho et al., NIPS 2013): everybody may run s iterations ahead, always.
/// There it is the slowest worker's clock that counts; here it is the frontier, so that a worker
/// that died holds up nobody.
class StaleSynchronous final : public SyncMode {
 public:
  explicit StaleSynchronous(std::uint32_t staleness) : staleness_(staleness) {}

  std::string_view name() const override { return "ssp"; }
  bool committed() const override { return false; }
  std::uint32_t slack(std::size_t, std::span<const IterationTiming>) const override {
    return staleness_;
  }

 private:
  std::uint32_t staleness_;
};

}  // namespace slime::trainer
