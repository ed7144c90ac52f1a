#pragma once

#include <map>

#include "actors/training/protocols.hpp"
#include "runtime/actor/actor.hpp"
#include "trainer/balance/speed_estimator.hpp"

namespace slime::actors {

/// Collects what each worker measured and filters it, and tells balancer and coordinator once an
/// iteration. Losing it loses only what it had learnt; it ends with the coordinator it serves.
class PerformanceMonitorActor : public runtime::Actor<PerformanceMonitorProtocol> {
 public:
  PerformanceMonitorActor(runtime::Host& host, const runtime::Message<schema::MonitorSpec>& spec);

 private:
  template <class T>
  using Message = runtime::Message<T>;

  /// What is known of one worker.
  struct Record {
    trainer::SpeedEstimator speed;
    std::uint32_t changes_told = 0;
    double samples = 0;                          ///< Of its last share.
    double fetch_s = 0, push_s = 0, wait_s = 0;  ///< Smoothed.
    Message<schema::Measurement> usage;          ///< The newest with one.
  };

  void on_start() override;
  void on_down(const ActorAddress& target, const Error& why) override;
  void measured(const Message<schema::Measurement>& message);
  void enlist(const Message<schema::Enlist>& message);
  void forget(const Message<schema::Forget>& message);
  void save(const Message<schema::SaveFilters>&, runtime::Reply<schema::Filters> reply);
  void announce();

  Coordinator coordinator_;
  Balancer balancer_;
  std::map<std::uint32_t, std::string> saved_;  ///< Filters of a checkpoint, for who enlists.
  std::map<std::uint32_t, Record> records_;
  std::uint64_t iteration_ = 0;  ///< Newest measured.
};

}  // namespace slime::actors
