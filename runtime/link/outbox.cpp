#include "runtime/link/outbox.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace slime::runtime {

namespace {

constexpr std::size_t scratch_bytes = std::size_t{128} << 10;
// One writev takes at most 1024 pieces.
constexpr std::size_t pieces_max = 1000;
// A body up to this is copied next to its head; a piece of its own costs the kernel more.
constexpr std::size_t copied_bytes_max = 1024;
constexpr std::size_t batch_bytes_max = std::size_t{1} << 20;
// While a long message waits its turn, short ones get this much of every batch.
constexpr std::size_t batch_bytes_beside_bulk = std::size_t{256} << 10;
constexpr std::size_t here_bytes_max = std::size_t{32} << 10;
// Messages closer together than this go through the link's thread, which sends them in batches.
constexpr Duration here_pause = std::chrono::microseconds(20);
// The bound on system frames, beside that on all others.
constexpr std::size_t system_bytes_max = std::size_t{16} << 20;

bool is_bulk(const Outgoing& item) {
  return item.kind == FrameKind::message && item.body.count() > chunk_words_max;
}

}  // namespace

Outbox::Outbox(OutboxOwner& owner, std::size_t queue_bytes_max)
    : owner_(owner), queue_bytes_max_(queue_bytes_max), scratch_(scratch_bytes) {
  pieces_.reserve(pieces_max + 2);
}

Status Outbox::add(std::unique_ptr<Outgoing>& item) {
  const std::size_t cost = item->cost();
  const std::size_t bound = item->system ? system_bytes_max : queue_bytes_max_;
  const std::size_t before = account(*item).fetch_add(cost, std::memory_order_relaxed);
  queued_.add();
  if (before >= bound && item->refusable) {
    leave_queue(*item);
    return Error{
        Errc::overloaded,
        std::to_string(before) + " bytes wait to be sent, the bound is " + std::to_string(bound)};
  }
  added_.push(std::move(item));
  return ok();
}

std::atomic<std::size_t>& Outbox::account(const Outgoing& item) {
  return item.system ? system_bytes_ : queued_bytes_;
}

void Outbox::leave_queue(const Outgoing& item) {
  account(item).fetch_sub(item.cost(), std::memory_order_relaxed);
  queued_.remove();
}

void Outbox::pump() {
  do {
    if (!turn_.try_take()) return;
    std::vector<Item> refused;
    sort_added(refused);
    bool ready = false;
    if (!attached_) {
      // So that a connection is sought.
      ready = !closed_ && has_queued();
    } else if (!writing_) {
      write_here();
      ready = has_sendable();
    }
    turn_.give_up();
    for (Item& item : refused) owner_.on_discarded(std::move(item));
    if (ready) owner_.on_ready();
  } while (!added_.empty());
}

void Outbox::attach(int fd, std::size_t credit_bytes) {
  turn_.take();
  attached_ = true;
  fd_ = fd;
  credit_bytes_ = credit_bytes;
  in_flight_ = 0;
  turn_.give_up();
  pump();
}

void Outbox::detach() {
  std::vector<Item> refused;
  turn_.take();
  attached_ = false;
  writing_ = false;
  fd_ = -1;
  generation_.fetch_add(1);
  discard_all(refused);
  turn_.give_up();
  for (Item& item : refused) owner_.on_discarded(std::move(item));
  pump();
}

void Outbox::close() {
  turn_.take();
  closed_ = true;
  turn_.give_up();
  detach();
}

void Outbox::add_credit(std::size_t bytes) {
  turn_.take();
  in_flight_ -= std::min(bytes, in_flight_.load());
  turn_.give_up();
  pump();
}

std::span<const iovec> Outbox::begin_write() {
  std::vector<Item> refused;
  turn_.take();
  sort_added(refused);
  if (pieces_.size() == first_piece_ && attached_) gather(batch_bytes_max, true);
  writing_ = first_piece_ < pieces_.size();
  const auto pieces = std::span<const iovec>(pieces_).subspan(first_piece_);
  turn_.give_up();
  for (Item& item : refused) owner_.on_discarded(std::move(item));
  if (pieces.empty()) pump();
  return pieces;
}

void Outbox::end_write() {
  turn_.take();
  writing_ = false;
  clear_batch();
  turn_.give_up();
}

void Outbox::sort_added(std::vector<Item>& refused) {
  added_.take_all([&](Item item) {
    if (closed_ || item->generation != generation_.load(std::memory_order_relaxed)) {
      leave_queue(*item);
      refused.push_back(std::move(item));
    } else if (item->system) {
      system_.push_back(std::move(item));
    } else if (is_bulk(*item) || follows_bulk(*item)) {
      bulk_.push_back(std::move(item));
    } else {
      normal_.push_back(std::move(item));
    }
  });
}

void Outbox::discard_all(std::vector<Item>& refused) {
  for (auto* lane : {&system_, &normal_, &bulk_}) {
    for (Item& item : *lane) {
      leave_queue(*item);
      refused.push_back(std::move(item));
    }
    lane->clear();
  }
  bulk_opened_ = false;
  clear_batch();
}

// A control frame follows everything of its sender: "down" must not overtake last words.
bool Outbox::follows_bulk(const Outgoing& item) const {
  return std::any_of(bulk_.begin(), bulk_.end(), [&](const Item& before) {
    return before->head.sender.number == item.head.sender.number &&
           (item.kind == FrameKind::control || before->head.target == item.head.target);
  });
}

bool Outbox::has_queued() const {
  return !system_.empty() || !normal_.empty() || !bulk_.empty();
}

bool Outbox::has_sendable() const {
  return first_piece_ < pieces_.size() || !system_.empty() || bulk_opened_ ||
         ((!normal_.empty() || !bulk_.empty()) && has_credit());
}

void Outbox::write_here() {
  if (fd_ < 0 || first_piece_ < pieces_.size() || !bulk_.empty() || !has_sendable()) return;
  const Instant now = monotonic_now();
  if (now - written_here_ < here_pause) return;
  if (queued_bytes() > here_bytes_max) return;
  written_here_ = now;
  gather(here_bytes_max, false);
  msghdr message{};
  message.msg_iov = pieces_.data();
  message.msg_iovlen = pieces_.size();
  const ssize_t sent = ::sendmsg(fd_, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  // Errors show up at the link's thread when it writes the rest.
  auto left = static_cast<std::size_t>(std::max<ssize_t>(sent, 0));
  while (first_piece_ < pieces_.size() && left >= pieces_[first_piece_].iov_len)
    left -= pieces_[first_piece_++].iov_len;
  if (first_piece_ == pieces_.size()) {
    clear_batch();
  } else {
    iovec& piece = pieces_[first_piece_];
    piece.iov_base = static_cast<std::byte*>(piece.iov_base) + left;
    piece.iov_len -= left;
  }
}

void Outbox::gather(std::size_t bytes_max, bool with_bulk) {
  gather_lane(system_, bytes_max, false);
  const bool bulk = with_bulk && !bulk_.empty();
  gather_lane(normal_, bulk ? std::min(bytes_max, batch_bytes_beside_bulk) : bytes_max, true);
  if (bulk) gather_bulk();
  frames_out_.add(batch_frames_);
  bytes_out_.add(batch_bytes_);
}

void Outbox::gather_lane(std::deque<Item>& lane, std::size_t bytes_max, bool needs_credit) {
  while (!lane.empty() && batch_bytes_ < bytes_max && gather_first(lane, needs_credit)) {
  }
}

bool Outbox::gather_first(std::deque<Item>& lane, bool needs_credit) {
  if (batch_is_full() || (needs_credit && !has_credit())) return false;
  Item item = std::move(lane.front());
  lane.pop_front();
  leave_queue(*item);
  if (needs_credit && item->kind == FrameKind::message) in_flight_ += item->cost();
  put_frame(std::move(item));
  return true;
}

void Outbox::gather_bulk() {
  while (!bulk_.empty() && !is_bulk(*bulk_.front()))
    if (!gather_first(bulk_, true)) return;
  if (bulk_.empty() || batch_is_full()) return;
  Outgoing& item = *bulk_.front();
  if (!bulk_opened_) {
    if (!has_credit()) return;
    in_flight_ += item.cost();
    bulk_opened_ = true;
    bulk_words_sent_ = 0;
    const FramePrefix prefix{head_words + 1, FrameKind::open, {}};
    const std::uint64_t words = item.body.count();
    put(&prefix, sizeof prefix);
    put(&item.head, sizeof item.head);
    put(&words, sizeof words);
    ++batch_frames_;
  }
  const std::size_t words =
      std::min<std::size_t>(chunk_words_max, item.body.count() - bulk_words_sent_);
  const FramePrefix prefix{static_cast<std::uint32_t>(words), FrameKind::chunk, {}};
  put(&prefix, sizeof prefix);
  // The kernel only reads through it.
  auto* data = const_cast<std::uint64_t*>(item.body.data() + bulk_words_sent_);
  pieces_.push_back({data, words * 8});
  batch_bytes_ += words * 8;
  kept_words_.push_back(item.body);
  bulk_words_sent_ += words;
  ++batch_frames_;
  if (bulk_words_sent_ < item.body.count()) return;
  leave_queue(item);
  bulk_.pop_front();
  bulk_opened_ = false;
}

bool Outbox::batch_is_full() const {
  // Room for one more small frame, and for the two frames that a chunk may need.
  return pieces_.size() + 4 > pieces_max ||
         scratch_used_ + copied_bytes_max + 4 * sizeof(MessageHead) > scratch_.size();
}

void Outbox::put_frame(Item item) {
  ++batch_frames_;
  const bool message = item->kind == FrameKind::message;
  const std::size_t words = item->body.count() + (message ? head_words : 0);
  const FramePrefix prefix{static_cast<std::uint32_t>(words), item->kind, {}};
  put(&prefix, sizeof prefix);
  if (message) put(&item->head, sizeof item->head);
  if (item->body.bytes() <= copied_bytes_max) {
    put(item->body.data(), item->body.bytes());
    return;
  }
  pieces_.push_back({const_cast<std::uint64_t*>(item->body.data()), item->body.bytes()});
  batch_bytes_ += item->body.bytes();
  kept_words_.push_back(std::move(item->body));
}

void Outbox::put(const void* data, std::size_t bytes) {
  if (bytes == 0) return;
  std::byte* to = scratch_.data() + scratch_used_;
  std::memcpy(to, data, bytes);
  scratch_used_ += bytes;
  batch_bytes_ += bytes;
  if (!pieces_.empty()) {
    iovec& last = pieces_.back();
    if (static_cast<std::byte*>(last.iov_base) + last.iov_len == to) {
      last.iov_len += bytes;
      return;
    }
  }
  pieces_.push_back({to, bytes});
}

void Outbox::clear_batch() {
  pieces_.clear();
  first_piece_ = 0;
  batch_bytes_ = 0;
  batch_frames_ = 0;
  scratch_used_ = 0;
  kept_words_.clear();
}

}  // namespace slime::runtime
