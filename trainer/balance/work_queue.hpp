#pragma once

#include "trainer/balance/equal.hpp"

namespace slime::trainer {

/// No shares at all: an iteration's blocks lie in one queue, and whoever is idle takes the next
/// one, so that the fast take more. After the global work queue of DeepRec, whose documentation
/// asks for at least ten slices per worker; the slices here are blocks, and one queue serves one
/// iteration, so that the global batch stays what it is. That part is ours.
class WorkQueuePolicy final : public EvenPolicy {
 public:
  std::string_view name() const override { return "work_queue"; }
  WorkRules work_rules() const override { return {.queue = true}; }
};

}  // namespace slime::trainer
