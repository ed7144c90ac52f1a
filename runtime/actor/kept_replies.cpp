#include "runtime/actor/kept_replies.hpp"

#include <utility>

namespace slime::runtime {

namespace {

std::string named(const CallId& call) {
  return "call " + std::to_string(call.number) + " of " + call.caller;
}

}  // namespace

Result<const KeptReplies::Reply*> KeptReplies::find(const CallId& call, Instant now) const {
  if (call.caller.empty() || call.caller.size() > caller_bytes_max)
    return Error{Errc::invalid_argument, "carrying out a call: the name of its caller has " +
                                             std::to_string(call.caller.size()) +
                                             " bytes; give one of 1 to " +
                                             std::to_string(caller_bytes_max)};
  const auto known = callers_.find(call.caller);
  const bool by_count = known == callers_.end() && callers_.size() >= limits_.callers_max;
  if (known != callers_.end()) {
    const auto& replies = known->second.replies;
    if (const auto found = replies.find(call.number); found != replies.end()) return &found->second;
    const std::uint64_t newest = replies.rbegin()->first;
    if (newest >= limits_.window && call.number <= newest - limits_.window)
      return Error{Errc::stale, named(call) +
                                    ": whether it was carried out is forgotten, for call " +
                                    std::to_string(newest) + " came already; have fewer than " +
                                    std::to_string(limits_.window) + " calls under way"};
  }
  if ((by_count || bytes_ >= limits_.bytes_max) && silent(now, call.caller) == callers_.end())
    return Error{Errc::overloaded, named(call) + ": the replies to " +
                                       std::to_string(callers_.size()) +
                                       " callers are kept already, and none may be forgotten yet"};
  return static_cast<const Reply*>(nullptr);
}

std::vector<CallId> KeptReplies::add(const CallId& call, Reply reply, Instant now) {
  std::vector<CallId> forgotten;
  const auto forget = [&](const std::string& name, const auto& entry) {
    bytes_ -= bytes_of(entry.second);
    forgotten.push_back({name, entry.first});
  };
  const bool is_new = !callers_.contains(call.caller);
  if ((is_new && callers_.size() >= limits_.callers_max) || bytes_ >= limits_.bytes_max) {
    const auto victim = silent(now, call.caller);
    if (victim != callers_.end()) {
      for (const auto& entry : victim->second.replies) forget(victim->first, entry);
      callers_.erase(victim);
    }
  }
  Caller& caller = callers_[call.caller];
  caller.last = now;
  bytes_ += bytes_of(reply);
  caller.replies.insert_or_assign(call.number, std::move(reply));
  auto& replies = caller.replies;
  const std::uint64_t newest = replies.rbegin()->first;
  while (newest >= limits_.window && replies.begin()->first <= newest - limits_.window) {
    forget(call.caller, *replies.begin());
    replies.erase(replies.begin());
  }
  return forgotten;
}

KeptReplies::Callers::const_iterator KeptReplies::silent(Instant now, std::string_view but) const {
  auto found = callers_.end();
  for (auto at = callers_.begin(); at != callers_.end(); ++at)
    if (at->first != but && now - at->second.last >= limits_.silence &&
        (found == callers_.end() || at->second.last < found->second.last))
      found = at;
  return found;
}

}  // namespace slime::runtime
