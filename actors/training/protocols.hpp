#pragma once

#include "actors/system/checkpointer.hpp"
#include "actors/system/protocols.hpp"
#include "runtime/actor/protocol.hpp"
#include "schemas/balancing.capnp.h"
#include "schemas/record.capnp.h"
#include "schemas/training.capnp.h"

namespace slime::actors {

/// Sequences iterations, grants work and decides who may start.
using CoordinatorProtocol = runtime::Protocol<
    Ask<schema::Next, schema::Grant>, Ask<schema::Seal, schema::Sealed>,
    Ask<schema::Complete, schema::Completed>, Ask<schema::Evaluated, schema::EvaluationTaken>,
    Ask<schema::PartSaved, schema::PartSavedTaken>,
    Ask<schema::StandbyLost, schema::StandbyLostTaken>, Tell<schema::Loads>, Tell<schema::Shares>,
    Tell<schema::Members>, Ask<schema::GetProgress, schema::Progress>,
    Ask<schema::GetRecord, schema::Record>, Ask<schema::StopJob, schema::JobStopping>,
    Ask<schema::EndJob, schema::JobEnded>>;

/// Holds a range of the parameters and their optimizer slots, and applies pushes.
using ParameterShardProtocol =
    runtime::Protocol<Ask<schema::Prepare, schema::Prepared>, Ask<schema::Pull, schema::Parameters>,
                      Ask<schema::Push, schema::Pushed>, Ask<schema::Commit, schema::Committed>,
                      Ask<schema::Adopt, schema::Inventory>, Ask<schema::Save, schema::Copied>,
                      Ask<schema::Replicate, schema::Replicated>,
                      Ask<schema::Mirror, schema::Mirrored>, Tell<schema::JobHistory>>;

/// Pulls, computes, pushes.
using WorkerProtocol = runtime::Protocol<Ask<schema::Describe, schema::Description>,
                                         Ask<schema::Begin, schema::Begun>>;

/// Collects what each worker measured and filters it.
using PerformanceMonitorProtocol =
    runtime::Protocol<Tell<schema::Measurement>, Tell<schema::Enlist>, Tell<schema::Forget>,
                      Ask<schema::SaveFilters, schema::Filters>>;

/// Turns loads into the next shares.
using BalancerProtocol = runtime::Protocol<Tell<schema::Loads>, Tell<schema::Enlist>,
                                           Tell<schema::Forget>, Tell<schema::RunTime>>;

using Coordinator = runtime::Ref<CoordinatorProtocol>;
using ParameterShard = runtime::Ref<ParameterShardProtocol>;
using Worker = runtime::Ref<WorkerProtocol>;
using PerformanceMonitor = runtime::Ref<PerformanceMonitorProtocol>;
using Balancer = runtime::Ref<BalancerProtocol>;

}  // namespace slime::actors
