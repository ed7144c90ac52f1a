#pragma once

#include <map>
#include <optional>

#include "actors/training/protocols.hpp"
#include "runtime/actor/actor.hpp"
#include "trainer/sync/shard_state.hpp"

namespace slime::actors {

/// Holds a range of the parameters and their optimizer slots, and applies pushes; the rules are
/// `trainer::ShardState`'s. Refuses every term but the one in force. It only answers: whoever asks
/// repeats the question until it has an answer, and every request may come twice.
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

  void prepare(const Message<schema::Prepare>&, Reply<schema::Prepared> reply);
  void pull(const Message<schema::Pull>& request, Reply<schema::Parameters> reply);
  void push(const Message<schema::Push>& request, Reply<schema::Pushed> reply);
  void commit(const Message<schema::Commit>& request, Reply<schema::Committed> reply);
  void adopt(const Message<schema::Adopt>& request, Reply<schema::Inventory> reply);
  void save(const Message<schema::Save>& request, Reply<schema::Copied> reply);
  void remember(const Message<schema::JobHistory>& history);

  Result<trainer::ShardRules> rules() const;
  Status create(std::vector<float> values, std::vector<std::vector<float>> slots);
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
};

}  // namespace slime::actors
