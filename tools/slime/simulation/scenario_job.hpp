#pragma once

#include <cstdint>
#include <vector>

#include "runtime/base/error.hpp"
#include "runtime/wire/message.hpp"
#include "schemas/job.capnp.h"
#include "schemas/scenario.capnp.h"
#include "trainer/emulate/ideal_makespan.hpp"

namespace slime::tools {

/// How many speeds, stalls and changes of speed there may be times the workers, each of which is
/// told of all of them.
constexpr std::uint64_t told_max = 2'000'000;

/// Samples that each run of the scenario trains.
std::uint64_t samples_of(schema::Scenario::Reader scenario);

/// What the scenario declares of its workers' speeds, waves as steps of constant speed; they end in
/// the last one when the run lasts ten times as long as it should. Steps of a drift and of a day
/// are short: a 24th of the period. Errors: invalid_argument (a period is too short for the run, or
/// the steps are more than workers can be told).
Result<trainer::EmulationSpec> emulation_of_scenario(schema::Scenario::Reader scenario);

/// When its machines are there; those behind a partition count as being there.
std::vector<trainer::Lifetime> lifetimes_of(schema::Scenario::Reader scenario);

/// The job that one of the runs is; its data are not in files. Precondition: `emulation` is the
/// scenario's.
runtime::Message<schema::JobSpec> job_of(schema::Scenario::Reader scenario, schema::Run::Reader run,
                                         const trainer::EmulationSpec& emulation);

}  // namespace slime::tools
