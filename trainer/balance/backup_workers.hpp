#pragma once

#include "trainer/balance/equal.hpp"

namespace slime::trainer {

/// Equal shares, and blocks that are late are given to a second worker; the first result counts.
/// After Chen et al., "Revisiting Distributed Synchronous SGD" (2016): of N + b workers the first N
/// gradients of an iteration are used and the rest dropped.
///
/// Dropping gradients would lose their samples, and here each is applied exactly once an epoch. So
/// ours keeps the point of it, that nobody waits for the last one, and backs up the late blocks
/// only: those held half as long again as expected.
class BackupWorkersPolicy final : public EvenPolicy {
 public:
  std::string_view name() const override { return "backup_workers"; }
  WorkRules work_rules() const override { return {.take_over = false, .overdue_factor = 1.5}; }
};

}  // namespace slime::trainer
