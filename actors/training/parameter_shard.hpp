#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "actors/training/lead_time.hpp"
#include "actors/training/protocols.hpp"
#include "actors/training/standby_link.hpp"
#include "runtime/actor/actor.hpp"
#include "trainer/sync/shard_state.hpp"

namespace slime::actors {

/// Holds a range of the parameters and their optimizer slots, and applies pushes; the rules are
/// `trainer::ShardState`'s. Refuses every term but the one in force. It only answers: whoever asks
/// repeats the question until it has an answer, and every request may come twice.
///
/// It may have a standby, an actor of the same type, which then has whatever was acknowledged. A
/// standby begins empty and becomes a shard like any other when a coordinator adopts it.
///
/// Sources: parameter_shard.cpp, parameter_shard_forwarding.cpp (what a shard sends its standby),
/// parameter_shard_mirror.cpp (how a standby gets what the shard has).
class ParameterShardActor : public runtime::Actor<ParameterShardProtocol> {
 public:
  ParameterShardActor(runtime::Host& host, const runtime::Message<schema::ShardSpec>& spec);

 private:
  template <class T>
  using Message = runtime::Message<T>;
  template <class T>
  using Reply = runtime::Reply<T>;

  /// The newest part that is known to be in a store, and when it was copied.
  struct WrittenPart {
    ActorAddress store;
    std::string key;
    std::uint32_t checksum;
    std::uint64_t mark;  ///< Of `state_`.
  };
  struct WaitingPull {
    std::uint64_t min_version;
    Reply<schema::Parameters> reply;
  };

  void on_start() override;
  void on_down(const ActorAddress& target, const Error& why) override;

  void prepare(const Message<schema::Prepare>&, Reply<schema::Prepared> reply);
  void pull(const Message<schema::Pull>& request, Reply<schema::Parameters> reply);
  void push(const Message<schema::Push>& request, Reply<schema::Pushed> reply);
  void commit(const Message<schema::Commit>& request, Reply<schema::Committed> reply);
  void adopt(const Message<schema::Adopt>& request, Reply<schema::Inventory> reply);
  void save(const Message<schema::Save>& request, Reply<schema::Copied> reply);
  void remember(const Message<schema::JobHistory>& history);

  static capnp::Data::Reader bytes_of(std::span<const float> values);
  static void write_groups(capnp::List<schema::GroupRecord>::Builder records,
                           const std::vector<trainer::Group>& groups);

  Result<trainer::ShardRules> rules() const;
  Status create(std::uint64_t version, std::vector<float> values,
                std::vector<std::vector<float>> slots);
  void start_empty();
  void start_from_parts();
  void prepared(Status status);
  /// False: answered with why this term or state cannot be served.
  template <class T>
  bool serves(std::uint64_t term, Reply<T>& reply) const;
  const Message<schema::Parameters>& parameters();
  void answer_waiting();
  /// Has a copy of itself written as `save` asks, and tells its sender of the part.
  void write_copy(schema::Save::Reader save);
  /// A copy of itself, and which of its blocks are as in the part before.
  Message<schema::WritePart> copy_for(schema::Save::Reader save) const;
  void report_part(const Message<schema::PartSaved>& saved, const ActorAddress& coordinator);

  // Its standby: parameter_shard_forwarding.cpp.
  void replicate(const Message<schema::Replicate>& request, Reply<schema::Replicated> reply);
  /// Answers a push that is in: at once, or when the standby has it.
  void acknowledge(const Message<schema::Push>& push, bool duplicate, Reply<schema::Pushed> reply);
  /// As above, of a commit. @param fresh  It was just applied.
  void acknowledge(const Message<schema::Commit>& commit, bool fresh,
                   Reply<schema::Committed> reply);
  StandbyLink::Item& forward(StandbyLink::Forward message, std::size_t bytes, bool ordered);
  void send_forwards();
  void send_forward(std::uint64_t number);
  void forwarded(std::uint64_t number, const Error* failure);
  void answer(StandbyLink::Item& item);
  void tell_when_ready();
  void watch_standby();
  void lose_standby(const Error& why);
  /// Goes on without, and answers all who waited for it.
  void drop_standby();
  /// Goes on without, and answers nobody: the term is over.
  void forget_standby(const Error& why);

  // How a standby gets what it stands by for: parameter_shard_mirror.cpp.
  void begin_mirror();
  void mirror(const Message<schema::Mirror>& request, Reply<schema::Mirrored> reply);
  Status take_piece(schema::Mirror::Reader piece);
  Status take_whole(schema::MirroredState::Reader whole);

  Message<schema::ShardSpec> spec_;
  std::uint64_t term_ = 0;
  trainer::ParameterRange range_;
  std::optional<trainer::ShardState> state_;
  std::optional<Status> preparation_;  ///< Empty until parameters are loaded, or never can be.
  bool loading_ = false;
  Duration load_deadline_ = std::chrono::seconds(120);
  std::vector<Reply<schema::Prepared>> waiting_prepare_;
  std::map<ActorAddress, WaitingPull> waiting_pulls_;  ///< By asker: one pull each.
  std::optional<Message<schema::Parameters>>
      current_;                                ///< What pulls get, until a push changes it.
  std::optional<std::uint64_t> save_attempt_;  ///< The newest in this term.
  Checkpointer saving_to_;                     ///< Was given the copy of that attempt.
  std::optional<WrittenPart> base_;
  std::optional<Message<schema::JobHistory>> history_;
  Instant history_told_{};

  std::optional<StandbyLink> link_;
  std::set<ActorAddress> former_standbys_;  ///< Of this term: none comes back.
  LeadTime forward_time_;
  bool stands_by_ = false;                    ///< Until it is adopted.
  std::uint32_t next_piece_ = 0;              ///< Of the mirror that it is sent in this term.
  std::vector<std::vector<float>> mirrored_;  ///< Values and slots, until that is whole.
};

}  // namespace slime::actors
