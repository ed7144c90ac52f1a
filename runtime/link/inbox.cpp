#include "runtime/link/inbox.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

namespace slime::runtime {

namespace {

constexpr std::size_t staging_bytes = std::size_t{128} << 10;
// While long frames arrive, only about a prefix's worth is staged: the rest of what is read would
// have to be copied into place.
constexpr std::size_t staging_bytes_bulk = 1024;
// Payloads above this go directly into their block, below it they are copied out of the staging.
constexpr std::size_t direct_words_min = 1024;

template <class Plain>
void copy_from(Plain& plain, const std::uint64_t* words) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  std::memcpy(static_cast<void*>(&plain), words, sizeof plain);
}

Error corrupt(const std::string& what) {
  return {Errc::corruption, "reading a frame: " + what};
}

}  // namespace

Inbox::Inbox(std::size_t message_bytes_max)
    : message_bytes_max_(message_bytes_max), staging_(staging_bytes / 8) {}

Inbox::~Inbox() {
  release_block(single_.block);
  release_block(chunked_.block);
}

std::span<std::byte> Inbox::space() {
  if (receiving_) return {direct_, direct_left_};
  auto* base = reinterpret_cast<std::byte*>(staging_.data());
  const std::size_t room = staging_bytes - filled_;
  return {base + filled_, bulk_ && filled_ == 0 ? std::min(room, staging_bytes_bulk) : room};
}

Status Inbox::received(std::size_t count, FrameSink& sink) {
  if (!receiving_) {
    filled_ += count;
    return parse(sink);
  }
  direct_ += count;
  direct_left_ -= count;
  return direct_left_ == 0 ? end_direct(sink) : ok();
}

Status Inbox::parse(FrameSink& sink) {
  while (!receiving_ && staged_words() >= 1) {
    FramePrefix prefix;
    copy_from(prefix, staged());
    if (Status valid = check(prefix); !valid) return valid;
    const bool message = prefix.kind == FrameKind::message;
    const std::size_t fixed = message ? head_words : 0;
    const bool direct = prefix.kind == FrameKind::chunk ||
                        (message && prefix.words - head_words > direct_words_min);
    if (staged_words() < 1 + (direct ? fixed : prefix.words)) break;
    parsed_ += sizeof prefix;
    ++frames_;
    Status taken = direct ? begin_direct(prefix, sink) : take_frame(prefix, sink);
    if (!taken) return taken;
    bulk_ = direct;
  }
  const std::size_t rest = filled_ - parsed_;
  if (rest > 0 && parsed_ > 0) {
    auto* base = reinterpret_cast<std::byte*>(staging_.data());
    std::memmove(base, base + parsed_, rest);
  }
  filled_ = rest;
  parsed_ = 0;
  return ok();
}

Status Inbox::check(const FramePrefix& prefix) const {
  const auto too_long = [&] {
    return corrupt("it is longer than its kind may be: " + std::to_string(prefix.words) + " words");
  };
  switch (prefix.kind) {
    case FrameKind::message:
      if (prefix.words < head_words) return corrupt("a message without its head");
      if (prefix.words - head_words > chunk_words_max) return too_long();
      if ((prefix.words - head_words) * 8 > message_bytes_max_) return too_long();
      return ok();
    case FrameKind::open:
      if (prefix.words != head_words + 1) return corrupt("an opening frame of the wrong size");
      if (chunked_.block) return corrupt("a second message in chunks before the first is done");
      return ok();
    case FrameKind::chunk:
      if (prefix.words == 0 || prefix.words > chunk_words_max) return too_long();
      if (!chunked_.block) return corrupt("a chunk of no message");
      if (prefix.words > chunked_.words - chunked_.words_received)
        return corrupt("more chunks than were announced");
      return ok();
    case FrameKind::control:
      if (prefix.words == 0 || prefix.words > control_words_max) return too_long();
      return ok();
  }
  return corrupt("unknown kind " + std::to_string(static_cast<unsigned>(prefix.kind)));
}

Status Inbox::take_frame(const FramePrefix& prefix, FrameSink& sink) {
  const std::uint64_t* payload = staged();
  parsed_ += std::size_t{prefix.words} * 8;
  if (prefix.kind == FrameKind::control) return sink.on_control({payload, prefix.words});
  if (prefix.kind == FrameKind::open) return open(payload);
  MessageHead head;
  copy_from(head, payload);
  const auto body = std::span(payload, prefix.words).subspan(head_words);
  return sink.on_message(head, body.empty() ? Words() : Words::copy(std::as_bytes(body)));
}

Status Inbox::open(const std::uint64_t* payload) {
  const std::uint64_t words = payload[head_words];
  if (words == 0 || words > message_bytes_max_ / 8)
    return corrupt("a message of " + std::to_string(words) + " words is announced");
  copy_from(chunked_.head, payload);
  chunked_.words = words;
  chunked_.words_received = 0;
  chunked_.block = acquire_block(words);
  return ok();
}

Status Inbox::begin_direct(const FramePrefix& prefix, FrameSink& sink) {
  std::size_t words = prefix.words;
  if (prefix.kind == FrameKind::message) {
    receiving_ = &single_;
    words -= head_words;
    copy_from(single_.head, staged());
    parsed_ += sizeof single_.head;
    single_.words = words;
    single_.words_received = 0;
    single_.block = acquire_block(words);
  } else {
    receiving_ = &chunked_;
  }
  direct_ = reinterpret_cast<std::byte*>(receiving_->block->words() + receiving_->words_received);
  receiving_->words_received += words;
  const std::size_t here = std::min(words * 8, filled_ - parsed_);
  std::memcpy(direct_, staged(), here);
  direct_ += here;
  direct_left_ = words * 8 - here;
  // Not a multiple of 8 only when all that was staged is used up, and nothing follows it.
  parsed_ += here;
  return direct_left_ == 0 ? end_direct(sink) : ok();
}

Status Inbox::end_direct(FrameSink& sink) {
  Transfer& transfer = *std::exchange(receiving_, nullptr);
  if (transfer.words_received < transfer.words) return ok();
  Block* block = std::exchange(transfer.block, nullptr);
  return sink.on_message(transfer.head, Words::adopt(block, 0, transfer.words));
}

}  // namespace slime::runtime
