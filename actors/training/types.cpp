#include "actors/training/types.hpp"

#include <memory>
#include <stdexcept>

#include "actors/system/checkpoint_copier.hpp"
#include "actors/system/checkpointer.hpp"
#include "actors/training/balancer.hpp"
#include "actors/training/coordinator.hpp"
#include "actors/training/parameter_shard.hpp"
#include "actors/training/performance_monitor.hpp"
#include "actors/training/worker.hpp"

namespace slime::actors {

namespace {

runtime::ActorType worker_type(const WorkerParts& parts) {
  // Computes and loads data in its turns.
  return {"worker", runtime::Turns::blocking,
          [parts](runtime::Host& host, const runtime::AnyMessage& spec) {
            const auto typed = runtime::Message<schema::WorkerSpec>::from(spec);
            if (!typed) throw std::invalid_argument(to_string(typed.error()));
            return std::make_unique<WorkerActor>(host, *typed, parts.make_source(), parts.usage);
          }};
}

}  // namespace

runtime::Catalogue training_types(const WorkerParts& parts) {
  using runtime::actor_type;
  using runtime::Turns;
  return {
      actor_type<CoordinatorActor, schema::CoordinatorSpec>("coordinator", Turns::brief),
      actor_type<ParameterShardActor, schema::ShardSpec>("parameter_shard"),
      worker_type(parts),
      actor_type<PerformanceMonitorActor, schema::MonitorSpec>("performance_monitor", Turns::brief),
      actor_type<BalancerActor, schema::BalancerSpec>("balancer", Turns::brief),
      // Waits for the disk in its turns.
      actor_type<CheckpointerActor, schema::CheckpointerSpec>("checkpointer", Turns::blocking),
      actor_type<CheckpointCopierActor, schema::CopierSpec>("checkpoint_copier", Turns::blocking),
  };
}

}  // namespace slime::actors
