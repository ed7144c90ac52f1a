#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "trainer/balance/policy.hpp"

namespace slime::trainer {

struct BalanceOptions {
  std::vector<double> fixed_shares{};  ///< Of `fixed`, by worker id; empty: equal.
  std::uint64_t seed = 0;              ///< Of `random`.
  bool adapt_after_tuning = false;     ///< `auto_t` goes on by AdaptFR instead of freezing.
};

struct BalancePolicyEntry {
  std::string_view name;
  std::string_view summary;  ///< One line for people who choose.
  std::unique_ptr<BalancePolicy> (*make)(const BalanceOptions& options);
};

/// Every balancing policy there is.
std::span<const BalancePolicyEntry> balance_policies();

/// Errors: not_found (`context` lists the names there are).
Result<std::unique_ptr<BalancePolicy>> make_balance_policy(std::string_view name,
                                                           const BalanceOptions& options);

}  // namespace slime::trainer
