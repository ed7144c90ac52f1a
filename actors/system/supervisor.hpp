#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "actors/system/protocols.hpp"
#include "actors/system/state_keeper.hpp"
#include "runtime/actor/actor.hpp"
#include "runtime/placement/policy.hpp"
#include "runtime/supervision/restart_policy.hpp"
#include "schemas/head.capnp.h"

namespace slime::actors {

/// Number `supervisor_number` of the head, beside the membership and the directory: keeps named
/// actors alive, each on a living member with its role, and their names bound to them. With a
/// keeper a later process of the head keeps the same actors alive: those that live go on, and those
/// that died with the head are started again.
class SupervisorActor : public runtime::Actor<SupervisorProtocol> {
 public:
  /// @param placement  Must outlive the actor.
  /// @param keeper     So must it; null: nothing outlives the actor.
  SupervisorActor(runtime::Host& host, const runtime::PlacementPolicy& placement,
                  StateKeeper* keeper);

 private:
  enum class State : std::uint8_t { placing, starting, running, pausing, given_up };
  using Member = runtime::Candidate;

  /// One actor to keep alive.
  struct Charge {
    runtime::Message<schema::Supervise> order;
    std::string role;
    runtime::RestartPolicy policy;
    State state = State::placing;
    Member member{};  ///< Where it runs or starts.
    ActorAddress address{};
    std::uint64_t key = 0;      ///< Of the newest spawn, while it is under way or its actor runs.
    std::uint64_t pending = 0;  ///< The ask or timer under way.
    Error last_death{Errc::unavailable, ""};
    std::vector<runtime::Reply<schema::Supervised>> waiting{};
  };

  void on_start() override;
  void on_down(const ActorAddress& target, const Error& error) override;

  void supervise(const runtime::Message<schema::Supervise>& message,
                 runtime::Reply<schema::Supervised> reply);
  void release(const runtime::Message<schema::Release>& message,
               runtime::Reply<schema::Released> reply);
  void list(const runtime::Message<schema::ListSupervised>& message,
            runtime::Reply<schema::SupervisedActors> reply);
  void members(const runtime::Message<schema::Members>& message);

  /// Errors: those of the keeper.
  Status restore();
  void take_up(schema::KeptCharge::Reader kept);
  /// What is to be known of `name` now. Errors: those of the keeper, and then the actor ends.
  Status keep(const std::string& name);
  static runtime::Message<schema::KeptCharge> describe(const Charge& charge);

  void place(const std::string& name);
  void spawn(const std::string& name, Charge& charge);
  void started(const std::string& name, const ActorAddress& address);
  void failed(const std::string& name, const Error& why);
  void bind(const std::string& name, Charge& charge);
  bool is_present(const Member& member) const;
  static runtime::Message<schema::Supervised> answer(const Charge& charge);

  const runtime::PlacementPolicy& placement_;
  StateKeeper* keeper_;
  std::uint64_t version_ = 0;
  std::uint64_t last_key_ = 0;
  std::vector<Member> members_;  ///< Those alive; a suspect one gets nothing new.
  std::vector<Member> suspects_;
  std::map<std::string, Charge> charges_;
};

}  // namespace slime::actors
