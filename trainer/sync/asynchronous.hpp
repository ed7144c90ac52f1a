#pragma once

#include "trainer/sync/sync_mode.hpp"

namespace slime::trainer {

/// Asynchronous parallel: nobody waits for anybody. A worker takes the next blocks of the epoch, as
/// many as its share, whenever it asks; each update is applied on arrival. That work is taken on
/// demand is ours: with a part of its own in every iteration a slow worker would fall behind for
/// ever, and the oldest unapplied sample with it.
///
/// What is given out runs at most `lead_max` iterations ahead of the frontier; a worker that comes
/// that far, because another one sits on an old block, waits.
class Asynchronous final : public SyncMode {
 public:
  explicit Asynchronous(std::uint32_t lead) : lead_(lead) {}

  std::string_view name() const override { return "asp"; }
  bool committed() const override { return false; }
  bool on_demand() const override { return true; }
  std::uint32_t slack(std::size_t, std::span<const IterationTiming>) const override {
    return lead_;
  }

 private:
  std::uint32_t lead_;
};

}  // namespace slime::trainer
