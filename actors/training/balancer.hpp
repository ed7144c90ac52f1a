#pragma once

#include <map>
#include <memory>

#include "actors/training/protocols.hpp"
#include "runtime/actor/actor.hpp"
#include "trainer/balance/policy.hpp"

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
  /// Splits an iteration between the workers there are and tells the coordinator of a change.
  void decide();

  Coordinator coordinator_;
  std::unique_ptr<trainer::BalancePolicy> policy_;
  std::uint32_t blocks_ = 0;  ///< Of a full iteration.
  std::uint32_t block_ = 0;   ///< Samples of a block.
  std::map<WorkerId, trainer::WorkerLoad> workers_;
  std::uint64_t decisions_ = 0;
};

}  // namespace slime::actors
