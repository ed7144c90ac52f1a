#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <utility>

#include "runtime/actor/protocol.hpp"
#include "runtime/base/ids.hpp"
#include "runtime/wire/message.hpp"
#include "schemas/durable.capnp.h"

namespace slime::runtime {

/// One call to a durable actor, however often it is sent. Plain data.
struct CallId {
  std::string caller;        ///< Whoever counts the calls: 1 to 256 bytes that nobody else uses.
  std::uint64_t number = 0;  ///< Consecutive; never given to another call of this caller.

  /// False: none was given, so nobody can repeat the call.
  explicit operator bool() const { return !caller.empty(); }
  auto operator<=>(const CallId&) const = default;
};

inline constexpr std::size_t caller_bytes_max = 256;

inline CallId read_call(schema::CallId::Reader from) {
  return {std::string(from.getCaller().cStr(), from.getCaller().size()), from.getNumber()};
}
inline void write_call(schema::CallId::Builder to, const CallId& call) {
  to.setCaller(call.caller);
  to.setNumber(call.number);
}

/// Numbers the calls of one caller. A caller that is to repeat its calls after its own death keeps
/// its name and the number of its last call, before it sends that.
class CallNumbers {
 public:
  explicit CallNumbers(std::string caller, std::uint64_t last = 0)
      : caller_(std::move(caller)), last_(last) {}
  /// For an actor whose calls end with it: its address is nobody else's, ever.
  explicit CallNumbers(const ActorAddress& self)
      : caller_(to_string(self) + '/' + std::to_string(self.node.high) + '.' +
                std::to_string(self.node.low) + '.' + std::to_string(self.incarnation)) {}

  CallId next() { return {caller_, ++last_}; }

 private:
  std::string caller_;
  std::uint64_t last_;
};

/// `message` as call `id`: it takes effect once, and each repetition gets the same answer.
template <class Q>
Message<schema::CallOnce> once(const CallId& id, const Message<Q>& message) {
  return Message<schema::CallOnce>::make(
      [&](schema::CallOnce::Builder root) {
        write_call(root.initId(), id);
        root.setType(type_id<Q>());
        const auto bytes = message.words().as_bytes();
        root.setMessage(
            kj::arrayPtr(reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()));
      },
      message.words().count() + 64);
}

/// The same actor, as one that is asked `Q` by calls with an id.
template <class Q, class P>
Ref<Protocol<Ask<schema::CallOnce, typename P::template Answer<Q>>>> once(const Ref<P>& actor) {
  static_assert(P::template asks<Q>, "the target does not understand this message as an ask");
  return {actor.address};
}

}  // namespace slime::runtime
