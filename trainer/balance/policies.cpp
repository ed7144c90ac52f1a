#include "trainer/balance/policies.hpp"

#include <array>
#include <string>

#include "trainer/balance/adapt_fr.hpp"
#include "trainer/balance/antdt_nd.hpp"
#include "trainer/balance/auto_t.hpp"
#include "trainer/balance/backup_workers.hpp"
#include "trainer/balance/equal.hpp"
#include "trainer/balance/fixed.hpp"
#include "trainer/balance/flex_rr.hpp"
#include "trainer/balance/lb_bsp_cpu.hpp"
#include "trainer/balance/lb_bsp_gpu.hpp"
#include "trainer/balance/oracle.hpp"
#include "trainer/balance/proportional.hpp"
#include "trainer/balance/proportional_control.hpp"
#include "trainer/balance/random.hpp"
#include "trainer/balance/work_queue.hpp"

namespace slime::trainer {

namespace {

template <class Policy>
std::unique_ptr<BalancePolicy> make(const BalanceOptions&) {
  return std::make_unique<Policy>();
}
std::unique_ptr<BalancePolicy> make_fixed(const BalanceOptions& options) {
  return std::make_unique<FixedPolicy>(options.fixed_shares);
}
std::unique_ptr<BalancePolicy> make_random(const BalanceOptions& options) {
  return std::make_unique<RandomPolicy>(options.seed);
}
std::unique_ptr<BalancePolicy> make_auto_t(const BalanceOptions& options) {
  return std::make_unique<AutoTPolicy>(options.adapt_after_tuning);
}

constexpr std::array entries{
    BalancePolicyEntry{"equal", "the same for every worker", make<EqualPolicy>},
    BalancePolicyEntry{"adapt_fr", "by measured speed, so that all finish together",
                       make<AdaptFrPolicy>},
    BalancePolicyEntry{"auto_t", "tuned in the first iterations, then frozen", make_auto_t},
    BalancePolicyEntry{"proportional", "in proportion to measured speed, always",
                       make<ProportionalPolicy>},
    BalancePolicyEntry{"fixed", "as balance.fixed_shares says", make_fixed},
    BalancePolicyEntry{"random", "drawn anew for every iteration", make_random},
    BalancePolicyEntry{"lb_bsp_cpu", "in proportion to predicted speed (LB-BSP)",
                       make<LbBspCpuPolicy>},
    BalancePolicyEntry{"lb_bsp_gpu", "a step at a time from the last to the first (LB-BSP)",
                       make<LbBspGpuPolicy>},
    BalancePolicyEntry{"proportional_control",
                       "corrected by how far times are from their mean (dynamic batching)",
                       make<ProportionalControlPolicy>},
    BalancePolicyEntry{"antdt_nd", "anew whenever somebody straggles (AntDT-ND)",
                       make<AntDtNdPolicy>},
    BalancePolicyEntry{"work_queue", "one queue, from which the idle take (DeepRec)",
                       make<WorkQueuePolicy>},
    BalancePolicyEntry{"flex_rr", "equal, with help from a few others (FlexRR)",
                       make<FlexRrPolicy>},
    BalancePolicyEntry{"backup_workers", "equal, late blocks are given twice",
                       make<BackupWorkersPolicy>},
    BalancePolicyEntry{"oracle", "by the speeds that an emulated job declares", make<OraclePolicy>},
};

}  // namespace

std::span<const BalancePolicyEntry> balance_policies() {
  return entries;
}

Result<std::unique_ptr<BalancePolicy>> make_balance_policy(std::string_view name,
                                                           const BalanceOptions& options) {
  std::string known;
  for (const BalancePolicyEntry& entry : entries) {
    if (entry.name == name) return entry.make(options);
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  return Error{Errc::not_found,
               "balance policy \"" + std::string(name) + "\": there is none; known are " + known};
}

}  // namespace slime::trainer
