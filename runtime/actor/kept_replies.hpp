#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/actor/call_once.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/error.hpp"
#include "runtime/wire/message.hpp"

namespace slime::runtime {

/// Which replies a durable actor keeps.
struct ReplyLimits {
  /// Of each caller the newest call and those whose number is less than this below its number.
  /// What is older is forgotten, and refused should it come: nobody knows whether it was done.
  std::uint64_t window = 64;
  /// How many callers are known; beyond, one that has been silent for `silence` is forgotten, and
  /// while there is none, new callers are refused as overloaded.
  std::size_t callers_max = 4096;
  /// How long after its first try a call may be repeated. A caller that is silent for longer may be
  /// forgotten altogether, and then a repetition would be carried out again.
  Duration silence = std::chrono::minutes(10);
  /// Bytes of all replies together; at that, callers are forgotten and refused as above.
  std::size_t bytes_max = std::size_t{16} << 20;
};

/// What a durable actor has answered, so that a repeated call is answered alike and not carried out
/// again. Pure; confined to its actor.
class KeptReplies {
 public:
  struct Reply {
    AnyMessage message;
    std::uint64_t write;  ///< The one that makes it durable; 0: an earlier process did.
  };

  explicit KeptReplies(const ReplyLimits& limits) : limits_(limits) {}

  /// The reply to `call`; null: the call is to be carried out and then added. Errors:
  /// invalid_argument (no such id can be), stale (too old to be known), overloaded (no room for
  /// another caller).
  Result<const Reply*> find(const CallId& call, Instant now) const;
  /// Notes a reply. Returns the calls that are forgotten for it.
  std::vector<CallId> add(const CallId& call, Reply reply, Instant now);

  std::size_t callers() const { return callers_.size(); }

 private:
  struct Caller {
    std::map<std::uint64_t, Reply> replies;  // By number; never empty.
    Instant last;                            // When one was added.
  };
  using Callers = std::map<std::string, Caller, std::less<>>;

  /// The caller that may be forgotten, apart from `but`; the end: none.
  Callers::const_iterator silent(Instant now, std::string_view but) const;
  static std::size_t bytes_of(const Reply& reply) { return reply.message.words.bytes() + 128; }

  ReplyLimits limits_;
  Callers callers_;
  std::size_t bytes_ = 0;
};

}  // namespace slime::runtime
