#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/error.hpp"
#include "runtime/base/ids.hpp"
#include "runtime/wire/message.hpp"

namespace slime::runtime {

/// What a node remembers of one of its actors.
struct ActorRecord {
  ActorAddress address;
  std::string type;
  bool alive = false;
  std::string reason;  ///< Why it ended; empty while it lives.
};

/// What a node agent does to its node: a real one, or one of the simulation. Any thread; nothing
/// blocks beyond the actor's own constructor.
class Spawner {
 public:
  virtual ~Spawner() = default;

  /// Runs an actor of catalogue type `type`. Errors: invalid_argument (unknown type), internal with
  /// the exception's text (its constructor threw).
  virtual Result<ActorAddress> spawn(std::string_view type, const AnyMessage& spec) = 0;
  /// Ends an actor of this node after its present turn. Errors: not_found (no such living actor).
  virtual Status kill(const ActorAddress& actor, const Error& reason) = 0;
  /// The living actors and the latest dead ones, by number.
  virtual std::vector<ActorRecord> list() const = 0;
};

}  // namespace slime::runtime
