#include "trainer/balance/policies.hpp"

#include <array>
#include <string>

#include "trainer/balance/adapt_fr.hpp"
#include "trainer/balance/equal.hpp"

namespace slime::trainer {

namespace {

template <class Policy>
std::unique_ptr<BalancePolicy> make() {
  return std::make_unique<Policy>();
}

constexpr std::array entries{
    BalancePolicyEntry{"equal", "the same for every worker", make<EqualPolicy>},
    BalancePolicyEntry{"adapt_fr", "by measured speed, so that all finish together",
                       make<AdaptFrPolicy>},
};

}  // namespace

std::span<const BalancePolicyEntry> balance_policies() {
  return entries;
}

Result<std::unique_ptr<BalancePolicy>> make_balance_policy(std::string_view name) {
  std::string known;
  for (const BalancePolicyEntry& entry : entries) {
    if (entry.name == name) return entry.make();
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  return Error{Errc::not_found,
               "balance policy \"" + std::string(name) + "\": there is none; known are " + known};
}

}  // namespace slime::trainer
