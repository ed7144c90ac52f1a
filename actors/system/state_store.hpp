#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "actors/system/actor_state_keeper.hpp"
#include "actors/system/memory_states.hpp"
#include "actors/system/protocols.hpp"
#include "runtime/actor/actor.hpp"
#include "runtime/actor/catalogue.hpp"

namespace slime::actors {

/// Number `state_store_number` of the head: keeps the states of durable actors, each with the
/// replies to its calls, and hands them to whoever comes under the same name. Each that loads a
/// state gets a generation above all before it, and the writes of an older one are refused, so an
/// actor that lives on behind a partition changes nothing any more. Writes that come while another
/// is under way share one wait for the disk.
class StateStoreActor : public runtime::Actor<runtime::StateStoreProtocol> {
 public:
  /// @param keeper  Must outlive the actor; null: what is kept ends with this actor.
  StateStoreActor(runtime::Host& host, ActorStateKeeper* keeper);

 private:
  /// What decides about a write.
  struct Holding {
    std::uint64_t generation = 0;
    std::uint64_t write = 0;
    std::uint32_t version = 0;
    ActorAddress holder;
  };

  void load(const runtime::Message<schema::LoadState>& message,
            runtime::Reply<schema::LoadedState> reply);
  void save(const runtime::Message<schema::SaveState>& message,
            runtime::Reply<schema::StateSaved> reply);

  /// Whether the write may be made and has not been yet. Errors: stale, incompatible,
  /// invalid_argument, those of reading what is kept.
  Result<bool> is_due(const std::string& name, schema::SaveState::Reader root);
  /// What is known of a state; reads it where it must. Errors: not_found, corruption, io_error.
  Result<Holding*> holding(const std::string& name);
  /// Writes what waits and answers. False: it failed and the actor ends.
  bool flush();

  MemoryStates memory_;
  ActorStateKeeper& keeper_;
  std::map<std::string, Holding> holdings_;
  std::vector<storage::StateChange> changes_;  // Waiting to be written.
  std::size_t bytes_ = 0;                      // Of these.
  std::vector<runtime::Reply<schema::StateSaved>> waiting_;
  bool flush_is_due_ = false;
};

/// @param keeper  As of StateStoreActor.
runtime::ActorType state_store_type(ActorStateKeeper* keeper = nullptr);

}  // namespace slime::actors
