#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/base/error.hpp"
#include "schemas/job.capnp.h"
#include "trainer/balance/policy.hpp"
#include "trainer/data/work_plan.hpp"
#include "trainer/emulate/emulation_spec.hpp"
#include "trainer/gradient/block_gradients.hpp"
#include "trainer/optim/optimizer.hpp"
#include "trainer/optim/schedules.hpp"
#include "trainer/sync/sync_mode.hpp"

namespace slime::actors {

/// What a JobSpec says, as the trainer's own types: the one place where the two meet. Errors name
/// the setting: not_found (no such mode or policy), otherwise invalid_argument.

/// @param samples  Of the training set.
trainer::WorkPlan work_plan(schema::JobSpec::Reader job, std::uint64_t samples);
std::vector<std::string> layer_texts(schema::JobSpec::Reader job);
Result<std::unique_ptr<trainer::Optimizer>> optimizer_of(schema::JobSpec::Reader job);
Result<trainer::Schedule> schedule_of(schema::JobSpec::Reader job, std::uint64_t samples);
Result<std::unique_ptr<trainer::SyncMode>> mode_of(schema::JobSpec::Reader job);
Result<std::unique_ptr<trainer::BalancePolicy>> policy_of(schema::JobSpec::Reader job);
trainer::BlockGradients::Settings gradient_settings(schema::JobSpec::Reader job);
trainer::EmulationSpec emulation_of(schema::JobSpec::Reader job);
inline bool reproducible(schema::JobSpec::Reader job) {
  return job.getReduction() == schema::Reduction::REPRODUCIBLE;
}

}  // namespace slime::actors
