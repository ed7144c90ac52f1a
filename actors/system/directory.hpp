#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "actors/system/protocols.hpp"
#include "actors/system/state_keeper.hpp"
#include "runtime/actor/actor.hpp"

namespace slime::actors {

/// Number `directory_number` of the head: names of actors. A binding ends with its actor. With a
/// keeper a binding is kept before it is acknowledged, and a later process of the head goes on with
/// those whose actors live.
class DirectoryActor : public runtime::Actor<DirectoryProtocol> {
 public:
  /// @param keeper  Must outlive the actor; null: nothing outlives it.
  DirectoryActor(runtime::Host& host, StateKeeper* keeper);

 private:
  void on_start() override;
  void on_down(const ActorAddress& target, const Error& error) override;

  void bind(const runtime::Message<schema::Register>& message,
            runtime::Reply<schema::Registered> reply);
  void look_up(const runtime::Message<schema::Lookup>& message,
               runtime::Reply<schema::Found> reply);
  void list(const runtime::Message<schema::ListNames>& message,
            runtime::Reply<schema::Names> reply);

  void watch_once(const ActorAddress& address);
  /// Errors: those of the keeper, and then the actor ends.
  Status keep(const KeptChange& change);
  void forget_later(const std::string& name);
  void forget();

  StateKeeper* keeper_;
  std::map<std::string, ActorAddress> bindings_;
  std::set<ActorAddress> watched_;
  std::vector<std::string> gone_;  ///< Names to forget, but not one by one.
};

}  // namespace slime::actors
