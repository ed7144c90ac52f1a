#include "actors/training/types.hpp"

#include "actors/system/checkpointer.hpp"
#include "actors/training/balancer.hpp"
#include "actors/training/coordinator.hpp"
#include "actors/training/parameter_shard.hpp"
#include "actors/training/performance_monitor.hpp"
#include "actors/training/worker.hpp"

namespace slime::actors {

runtime::Catalogue training_types() {
  using runtime::actor_type;
  using runtime::Turns;
  return {
      actor_type<CoordinatorActor, schema::CoordinatorSpec>("coordinator", Turns::brief),
      actor_type<ParameterShardActor, schema::ShardSpec>("parameter_shard"),
      // Computes and loads data in its turns.
      actor_type<WorkerActor, schema::WorkerSpec>("worker", Turns::blocking),
      actor_type<PerformanceMonitorActor, schema::MonitorSpec>("performance_monitor", Turns::brief),
      actor_type<BalancerActor, schema::BalancerSpec>("balancer", Turns::brief),
      // Waits for the disk in its turns.
      actor_type<CheckpointerActor, schema::CheckpointerSpec>("checkpointer", Turns::blocking),
  };
}

}  // namespace slime::actors
