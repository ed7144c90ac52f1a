#pragma once

#include <cstdint>

#include "runtime/link/link_stats.hpp"

namespace slime::runtime {

/// What the actors of one node do, counted where they do it: on any thread, in passing.
struct ActorTallies {
  Tally ended;
  Tally failed;
  Tally messages_handled;
  Tally messages_refused;
  Tally asks_made;
  Tally asks_expired;
  Tally asks_outstanding;
};

/// A node at a moment. Like `LinkStats` nothing but numbers of 64 bits.
struct NodeStats {
  std::uint64_t actors_alive = 0;
  std::uint64_t actors_ended = 0;      ///< Since the start, as all of the past tense.
  std::uint64_t actors_failed = 0;     ///< Of those that ended, with a reason.
  std::uint64_t messages_waiting = 0;  ///< In mailboxes, as `MailboxLoad` counts them.
  std::uint64_t bytes_waiting = 0;
  std::uint64_t messages_handled = 0;
  std::uint64_t messages_refused = 0;  ///< Because the mailbox was full.
  std::uint64_t asks_made = 0;
  std::uint64_t asks_expired = 0;  ///< Not answered before their deadline.
  std::uint64_t asks_outstanding = 0;
  LinkStats link;
};

}  // namespace slime::runtime
