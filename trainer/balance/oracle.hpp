#pragma once

#include "trainer/balance/policy.hpp"

namespace slime::trainer {

/// The exact min-max split under the declared speeds of an emulated job: what no policy that has to
/// measure can beat on average, and so the mark the others are measured against. Where nothing is
/// declared shares are equal.
class OraclePolicy final : public BalancePolicy {
 public:
  std::string_view name() const override { return "oracle"; }
  Result<std::vector<std::uint32_t>> split(const SplitTask& task,
                                           std::span<const WorkerLoad> loads) override;
};

}  // namespace slime::trainer
