#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "actors/system/protocols.hpp"
#include "runtime/actor/actor.hpp"

namespace slime::actors {

/// Number `membership_number` of the head: the authority on who is in the cluster. What it
/// declares dead is fenced for ever in that incarnation.
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
  void changed();
  void tell_everyone();
  void refresh();
  runtime::Message<schema::Members> snapshot() const;

  const Settings settings_;
  std::uint64_t version_ = 0;
  std::vector<Record> records_;
  std::set<ActorAddress> subscribers_;
};

}  // namespace slime::actors
