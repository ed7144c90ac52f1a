#pragma once

#include <sys/uio.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/base/error.hpp"
#include "runtime/link/frame.hpp"
#include "runtime/link/link_stats.hpp"
#include "runtime/link/mpsc_queue.hpp"
#include "runtime/link/turn.hpp"
#include "runtime/wire/words.hpp"

namespace slime::runtime {

/// Something on its way to a peer.
struct Outgoing {
  Outgoing* next = nullptr;
  FrameKind kind = FrameKind::message;  ///< message or control.
  /// System frames overtake all others and need no credit.
  bool system = false;
  /// Whether the bound on what waits holds for it: not for frames whose number something else
  /// bounds and without which the other side would wait for ever, such as credits and deaths.
  bool refusable = true;
  /// Set by the outbox: which connection, counted, this may be sent on at the earliest and latest.
  std::uint64_t generation = 0;
  MessageHead head;  ///< Of a control frame, only `sender`: whom it must not overtake.
  Words body;

  std::size_t cost() const { return message_cost(body.count()); }
};

/// What an `Outbox` asks of its peer. Any thread, never blocking.
class OutboxOwner {
 public:
  virtual ~OutboxOwner() = default;

  /// There is something that only the link's thread can write, or that needs a connection.
  virtual void on_ready() = 0;
  /// `item` will not be sent: its connection was lost first, or the peer is dead.
  virtual void on_discarded(std::unique_ptr<Outgoing> item) = 0;
};

/// Everything on its way to one peer: what order it goes in and how much of it may go.
///
/// Any thread adds without blocking. Whoever finds the turn free sorts what was added and, if it is
/// small and nobody else is writing, sends it there and then without blocking: that saves a
/// hand-over to the link's thread, several microseconds here. Everything else the link's thread
/// writes through its stream, which no other thread touches.
///
/// Order: system frames first; then messages up to 1 MiB; long ones go in chunks between them. Two
/// messages of the same sender to the same target never overtake each other, system frames apart.
class Outbox {
 public:
  /// @param queue_bytes_max  Bound on what waits; see LinkSettings.
  Outbox(OutboxOwner& owner, std::size_t queue_bytes_max);

  /// Any thread. Counts the connections lost; what is added later belongs to a later one.
  std::uint64_t generation() const { return generation_.load(); }
  /// Any thread. Takes `item` for the connection of its `generation`; `pump` must follow.
  /// Errors: overloaded; then `item` is untouched.
  Status add(std::unique_ptr<Outgoing>& item);
  /// Any thread. Sends what can be sent at once and sees to it that the rest is.
  void pump();
  /// Any thread. Bytes that wait to be written, and bytes in flight.
  std::size_t queued_bytes() const {
    return queued_bytes_.load(std::memory_order_relaxed) +
           system_bytes_.load(std::memory_order_relaxed);
  }
  std::size_t in_flight_bytes() const { return in_flight_.load(std::memory_order_relaxed); }
  /// Any thread. Messages and control messages that wait to be written.
  std::uint64_t queued() const { return queued_.read(); }
  /// Any thread. What was put into batches to be written, since the beginning.
  std::uint64_t frames_out() const { return frames_out_.read(); }
  std::uint64_t bytes_out() const { return bytes_out_.read(); }

  // The link's thread only, all of them.

  /// A connection is there. @param fd  Its socket if other threads may write to it, else -1.
  /// @param credit_bytes  What may be in flight.
  void attach(int fd, std::size_t credit_bytes);
  /// The connection is lost; everything added for it is discarded. The socket may be closed after.
  void detach();
  /// No connection will come: everything, now and later, is discarded.
  void close();
  /// The receiver is done with `bytes`.
  void add_credit(std::size_t bytes);
  /// What to write next, empty if nothing may be written now. Until `end_write` no other thread
  /// writes and the pieces stay valid.
  std::span<const iovec> begin_write();
  void end_write();

 private:
  using Item = std::unique_ptr<Outgoing>;

  std::atomic<std::size_t>& account(const Outgoing& item);
  void leave_queue(const Outgoing& item);
  void sort_added(std::vector<Item>& refused);
  void discard_all(std::vector<Item>& refused);
  bool follows_bulk(const Outgoing& item) const;
  bool has_queued() const;
  bool has_sendable() const;
  bool has_credit() const { return in_flight_.load(std::memory_order_relaxed) < credit_bytes_; }
  void write_here();
  void gather(std::size_t bytes_max, bool with_bulk);
  void gather_lane(std::deque<Item>& lane, std::size_t bytes_max, bool needs_credit);
  bool gather_first(std::deque<Item>& lane, bool needs_credit);
  void gather_bulk();
  bool batch_is_full() const;
  void put_frame(Item item);
  void put(const void* data, std::size_t bytes);
  void clear_batch();

  OutboxOwner& owner_;
  const std::size_t queue_bytes_max_;
  MpscQueue<Outgoing> added_;
  // Apart, so that no amount of bulk keeps a system frame out.
  std::atomic<std::size_t> queued_bytes_{0};
  std::atomic<std::size_t> system_bytes_{0};
  Tally queued_;
  Tally frames_out_;
  Tally bytes_out_;
  std::atomic<std::uint64_t> generation_{0};

  // The rest belongs to whoever has the turn.
  Turn turn_;
  bool closed_ = false;
  bool attached_ = false;
  bool writing_ = false;  ///< The link's thread is writing the batch.
  int fd_ = -1;
  std::size_t credit_bytes_ = 0;
  std::atomic<std::size_t> in_flight_{0};
  Instant written_here_;
  std::deque<Item> system_;
  std::deque<Item> normal_;
  std::deque<Item> bulk_;            ///< Long messages, and short ones that must not overtake them.
  std::size_t bulk_words_sent_ = 0;  ///< Of the first; with its opening frame sent.
  bool bulk_opened_ = false;

  // The batch being written: pieces into the scratch memory and into the bodies in `kept_words_`.
  std::vector<iovec> pieces_;
  std::size_t first_piece_ = 0;
  std::size_t batch_bytes_ = 0;
  std::size_t batch_frames_ = 0;
  std::vector<std::byte> scratch_;
  std::size_t scratch_used_ = 0;
  std::vector<Words> kept_words_;
};

}  // namespace slime::runtime
