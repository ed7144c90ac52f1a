#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "trainer/balance/policy.hpp"

namespace slime::trainer {

struct BalancePolicyEntry {
  std::string_view name;
  std::string_view summary;  ///< One line for people who choose.
  std::unique_ptr<BalancePolicy> (*make)();
};

/// Every balancing policy there is.
std::span<const BalancePolicyEntry> balance_policies();

/// Errors: not_found (`context` lists the names there are).
Result<std::unique_ptr<BalancePolicy>> make_balance_policy(std::string_view name);

}  // namespace slime::trainer
