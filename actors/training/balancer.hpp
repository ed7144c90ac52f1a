#pragma once

#include <memory>
#include <vector>

#include "actors/training/protocols.hpp"
#include "actors/training/run_clock.hpp"
#include "runtime/actor/actor.hpp"
#include "trainer/balance/policy.hpp"
#include "trainer/emulate/emulation_spec.hpp"
#include "trainer/emulate/speed_profile.hpp"

namespace slime::actors {

/// Turns loads into the next shares, by the job's policy. Losing it leaves the shares as they are;
/// it ends with the coordinator it serves.
class BalancerActor : public runtime::Actor<BalancerProtocol> {
 public:
  BalancerActor(runtime::Host& host, const runtime::Message<schema::BalancerSpec>& spec);

 private:
  template <class T>
  using Message = runtime::Message<T>;

  void on_start() override;
  void on_down(const ActorAddress& target, const Error& why) override;
  void loads(const Message<schema::Loads>& message);
  void enlist(const Message<schema::Enlist>& message);
  void forget(const Message<schema::Forget>& message);
  void run_time(const Message<schema::RunTime>& message);
  /// Splits an iteration between the workers there are and tells the coordinator of a change.
  void decide();
  /// Where this worker is among the loads, or would be.
  std::vector<trainer::WorkerLoad>::iterator place_of(WorkerId worker);
  /// Notes the seconds per sample that the job declares for each worker at this time of the run.
  void declare();

  Coordinator coordinator_;
  std::unique_ptr<trainer::BalancePolicy> policy_;
  std::uint32_t blocks_ = 0;  ///< Of a full iteration.
  std::uint32_t block_ = 0;   ///< Samples of a block.
  trainer::EmulationSpec emulation_;
  RunClock clock_;                               ///< The run's.
  std::uint64_t iteration_ = 0;                  ///< The newest that was measured.
  std::vector<trainer::WorkerLoad> loads_;       ///< Of those who are here, ascending by id.
  std::vector<trainer::SpeedProfile> declared_;  ///< Of the same; none when not emulated.
  double declared_until_s_ = 0;                  ///< What the loads hold of it, of the run.
  bool deciding_ = false;                        ///< About those who came, in a moment.
  std::uint64_t decisions_ = 0;
};

}  // namespace slime::actors
