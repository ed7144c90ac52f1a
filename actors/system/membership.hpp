#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/system/protocols.hpp"
#include "actors/system/state_keeper.hpp"
#include "runtime/actor/actor.hpp"

namespace slime::actors {

/// Number `membership_number` of the head: the authority on who is in the cluster. What it
/// declares dead is fenced for ever in that incarnation. With a keeper nothing is told that is not
/// kept, and a later process of the head goes on with it: who was dead stays dead, and who was
/// there is suspect until it joins again or the head's link finds it gone.
class MembershipActor : public runtime::Actor<MembershipProtocol> {
 public:
  struct Settings {
    /// Members are told everything again this often, because a lost link loses what was told.
    Duration refresh = std::chrono::seconds(2);
    /// So many nodes must have lost a member before it is declared dead; the head's own link
    /// needs no second opinion.
    std::size_t witnesses = 2;
    /// How many dead members are remembered.
    std::size_t dead_max = 256;
    /// Microseconds since 1970, for the records.
    std::function<std::int64_t()> wall_clock_us;
    /// Must outlive the actor; null: nothing outlives it.
    StateKeeper* keeper = nullptr;
  };

  MembershipActor(runtime::Host& host, Settings settings);

 private:
  struct Record {
    NodeId node;
    std::uint64_t incarnation = 0;
    std::string name;
    std::vector<std::string> roles;
    std::vector<std::string> endpoints;
    schema::MemberState state = schema::MemberState::ALIVE;
    std::string reason;
    std::uint32_t pid = 0;
    std::int64_t changed_us = 0;
    std::set<NodeId> lost_by;

    bool present() const {
      return state == schema::MemberState::ALIVE || state == schema::MemberState::SUSPECT;
    }
  };

  void on_start() override;
  void on_down(const ActorAddress& target, const Error& error) override;

  void join(const runtime::Message<schema::Join>& message, runtime::Reply<schema::Members> reply);
  void leave(const runtime::Message<schema::Leave>& message, runtime::Reply<schema::Members> reply);
  void suspect(const runtime::Message<schema::Suspect>& message);
  void members(const runtime::Message<schema::GetMembers>& message,
               runtime::Reply<schema::Members> reply);
  void subscribe(const runtime::Message<schema::SubscribeMembers>& message,
                 runtime::Reply<schema::Members> reply);

  static Record read_record(schema::Member::Reader member);
  /// Errors: stale, already_exists.
  Status admit(const Record& newcomer);
  Record* find(NodeId node, std::uint64_t incarnation);
  void change(Record& record, schema::MemberState state, std::string reason);
  void forget_witness(NodeId witness);
  /// Whether it was a member and is none now.
  bool is_gone(NodeId node) const;
  /// Two members that have lost each other will never speak again. Where that has not ended by
  /// other witnesses since the last call, the one that came later has to start anew.
  void end_parted();
  void set(Record& record, schema::MemberState state, std::string reason);
  /// Takes up what an earlier process has kept. Errors: those of the keeper.
  Status restore();
  /// Keeps and tells. After an error it is not told, and the actor ends.
  Status changed();
  void tell_everyone();
  void refresh();
  runtime::Message<schema::Members> snapshot() const;

  const Settings settings_;
  std::uint64_t version_ = 0;
  std::vector<Record> records_;
  std::set<std::pair<NodeId, NodeId>> parted_;  ///< At the last refresh, in the order of joining.
  std::set<ActorAddress> subscribers_;
};

}  // namespace slime::actors
