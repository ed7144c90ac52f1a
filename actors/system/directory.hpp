#pragma once

#include <map>
#include <set>
#include <string>

#include "actors/system/protocols.hpp"
#include "runtime/actor/actor.hpp"

namespace slime::actors {

/// Number `directory_number` of the head: names of actors. A binding ends with its actor.
class DirectoryActor : public runtime::Actor<DirectoryProtocol> {
 public:
  explicit DirectoryActor(runtime::Host& host);

 private:
  void on_down(const ActorAddress& target, const Error& error) override;

  void bind(const runtime::Message<schema::Register>& message,
            runtime::Reply<schema::Registered> reply);
  void look_up(const runtime::Message<schema::Lookup>& message,
               runtime::Reply<schema::Found> reply);
  void list(const runtime::Message<schema::ListNames>& message,
            runtime::Reply<schema::Names> reply);

  std::map<std::string, ActorAddress> bindings_;
  std::set<ActorAddress> watched_;
};

}  // namespace slime::actors
