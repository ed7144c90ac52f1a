#include <algorithm>
#include <string>
#include <utility>

#include "actors/training/parameter_shard.hpp"
#include "runtime/wire/address.hpp"

namespace slime::actors {

using namespace std::chrono_literals;

namespace {

constexpr runtime::Retry coordinator_retry{100ms, 1s};
// What a standby that lives may take to answer, beside the transfer on the slowest link that we
// reckon with. A machine that falls silent is declared dead before that.
constexpr Duration standby_patience = 10s;
constexpr Duration watch_interval = 1s;

std::uint64_t group_of(const runtime::Message<schema::Push>& push) {
  return push.read([](auto read) { return read.getGroup(); });
}

std::uint64_t iteration_of(const runtime::Message<schema::Commit>& commit) {
  return commit.read([](auto read) { return read.getIteration(); });
}

/// The newest item that is a `T` of that key.
template <class T, class KeyOf>
StandbyLink::Item* find(StandbyLink& link, std::uint64_t key, KeyOf key_of) {
  for (auto at = link.items.rbegin(); at != link.items.rend(); ++at) {
    const auto* message = std::get_if<runtime::Message<T>>(&at->second.message);
    if (message && key_of(*message) == key) return &at->second;
  }
  return nullptr;
}

}  // namespace

void ParameterShardActor::replicate(const Message<schema::Replicate>& request,
                                    Reply<schema::Replicated> reply) {
  request.read([&](schema::Replicate::Reader read) {
    if (!serves(read.getTerm(), reply)) return;
    const ParameterShard standby{runtime::read_address(read.getStandby())};
    if (former_standbys_.contains(standby.address))
      return reply.fail(Error{Errc::stale, "the shard has lost that standby"});
    if (link_ && link_->standby == standby) {
      // A repeated question takes the place of the one before.
      link_->replicated.emplace(std::move(reply));
      return link_->lost ? void() : tell_when_ready();
    }
    // Whoever names another one does not count on the one before.
    if (link_) drop_standby();
    link_.emplace();
    link_->standby = standby;
    link_->coordinator = Coordinator{sender()};
    link_->replicated.emplace(std::move(reply));
    watch(standby);
    // Otherwise right after the next commit, which leaves no stages.
    if (!state_->staging()) begin_mirror();
  });
}

void ParameterShardActor::acknowledge(const Message<schema::Push>& push, bool duplicate,
                                      Reply<schema::Pushed> reply) {
  StandbyLink::Item* item = nullptr;
  if (link_ && link_->begun) {
    const bool staged = state_->staging();
    // Repeated, it has no answer yet if the standby has none.
    item = duplicate ? find<schema::Push>(*link_, group_of(push), group_of)
                     : &forward(push, push.words().bytes(), !staged);
  }
  if (item && item->awaited) {
    item->pushed.push_back(std::move(reply));
  } else {
    reply.send(Message<schema::Pushed>::make([=](auto root) { root.setDuplicate(duplicate); }));
  }
  send_forwards();
}

void ParameterShardActor::acknowledge(const Message<schema::Commit>& commit, bool fresh,
                                      Reply<schema::Committed> reply) {
  StandbyLink::Item* item = nullptr;
  if (link_ && link_->begun)
    item = fresh ? &forward(commit, commit.words().bytes(), true)
                 : find<schema::Commit>(*link_, iteration_of(commit), iteration_of);
  if (item && item->awaited) {
    item->committed.push_back(std::move(reply));
  } else {
    reply.send(Message<schema::Committed>::make(
        [this](schema::Committed::Builder root) { root.setVersion(state_->version()); }));
  }
  if (link_ && !link_->begun && !state_->staging()) begin_mirror();
  send_forwards();
}

StandbyLink::Item& ParameterShardActor::forward(StandbyLink::Forward message, std::size_t bytes,
                                                bool ordered) {
  StandbyLink& link = *link_;
  const bool is_piece = std::holds_alternative<Message<schema::Mirror>>(message);
  const bool is_push = std::holds_alternative<Message<schema::Push>>(message);
  StandbyLink::Item item{
      .message = std::move(message),
      .bytes = bytes,
      .ordered = ordered,
      // While the mirror is on its way nobody waits, until as much again waits
      // to follow it: that bounds the memory.
      .awaited = !is_piece && (link.mirrored || link.pushed_bytes > link.mirror_bytes),
      .sent = {},
      .pushed = {},
      .committed = {}};
  (is_piece ? link.mirror_bytes : link.pushed_bytes) += is_piece || is_push ? bytes : 0;
  if (!is_piece && !item.awaited) ++link.unawaited;
  return link.items.emplace(++link.newest, std::move(item)).first->second;
}

void ParameterShardActor::send_forwards() {
  while (link_ && link_->may_send()) {
    const std::uint64_t number = ++link_->sent;
    StandbyLink::Item& item = link_->items.at(number);
    item.sent = now();
    ++link_->under_way;
    if (item.ordered) ++link_->ordered_under_way;
    send_forward(number);
    watch_standby();
  }
}

void ParameterShardActor::send_forward(std::uint64_t number) {
  const StandbyLink::Item& item = link_->items.at(number);
  const auto retry = forward_time_.retry(item.bytes);
  const auto done = [this, number, asked = item.sent](const auto& answer) {
    if (answer) forward_time_.observe(to_seconds(now() - asked));
    forwarded(number, answer ? nullptr : &answer.error());
  };
  std::visit([&](const auto& message) { ask_until_answered(link_->standby, message, retry, done); },
             item.message);
}

void ParameterShardActor::forwarded(std::uint64_t number, const Error* failure) {
  if (failure && failure->code == Errc::stale) {
    // It obeys a later term: this shard was replaced, and whatever it says counts no more.
    log(LogLevel::warning, "its standby took its place: " + failure->context);
    cancel_asks_to(link_->standby.address);
    link_->lost = true;
    for (auto& [at, item] : link_->items) {
      for (auto& reply : item.pushed) reply.fail(*failure);
      for (auto& reply : item.committed) reply.fail(*failure);
    }
    return;
  }
  // It has not what the shard has, so it is none.
  if (failure) return lose_standby(*failure);
  link_->heard = now();
  const auto found = link_->items.find(number);
  StandbyLink::Item item = std::move(found->second);
  link_->items.erase(found);
  --link_->under_way;
  if (item.ordered) --link_->ordered_under_way;
  if (std::holds_alternative<Message<schema::Push>>(item.message))
    link_->pushed_bytes -= item.bytes;
  if (number == link_->mirror_end) link_->mirrored = true;
  if (number > link_->mirror_end && !item.awaited) --link_->unawaited;
  answer(item);
  tell_when_ready();
  send_forwards();
}

void ParameterShardActor::answer(StandbyLink::Item& item) {
  for (auto& reply : item.pushed) reply.send(Message<schema::Pushed>::make());
  for (auto& reply : item.committed)
    reply.send(Message<schema::Committed>::make(
        [this](schema::Committed::Builder root) { root.setVersion(state_->version()); }));
}

void ParameterShardActor::tell_when_ready() {
  if (!link_->ready() || !link_->replicated) return;
  link_->replicated->send(Message<schema::Replicated>::make());
  link_->replicated.reset();
}

void ParameterShardActor::watch_standby() {
  if (link_->watcher || link_->under_way == 0) return;
  link_->watcher = after(watch_interval, [this] {
    link_->watcher.reset();
    if (link_->lost || link_->under_way == 0) return;
    const StandbyLink::Item& oldest = link_->items.begin()->second;
    const Duration allowed = standby_patience + LeadTime().retry(oldest.bytes).first;
    if (now() - std::max(link_->heard, oldest.sent) < allowed) return watch_standby();
    lose_standby(
        Error{Errc::timeout, "it has not answered for " + std::to_string(allowed / 1s) + " s"});
  });
}

void ParameterShardActor::on_down(const ActorAddress& target, const Error& why) {
  if (link_ && link_->standby.address == target) lose_standby(why);
}

void ParameterShardActor::lose_standby(const Error& why) {
  if (link_->lost) return;
  link_->lost = true;
  log(LogLevel::warning, "lost its standby: " + why.context);
  cancel_asks_to(link_->standby.address);
  if (link_->replicated) link_->replicated->fail({Errc::unavailable, why.context});
  link_->replicated.reset();
  const auto lost = Message<schema::StandbyLost>::make([&](schema::StandbyLost::Builder root) {
    root.setTerm(term_);
    runtime::write_address(root.initStandby(), link_->standby.address);
    root.initFailure().setCode(static_cast<std::uint8_t>(why.code));
    root.getFailure().setContext(why.context);
  });
  // Until the coordinator knows, it would put the standby in this one's place.
  ask_until_answered(
      link_->coordinator, lost, coordinator_retry,
      [this, standby = link_->standby](const Result<Message<schema::StandbyLostTaken>>& taken) {
        // Otherwise the term is over, and with it what others wait for.
        if (taken && link_ && link_->standby == standby) drop_standby();
      });
}

void ParameterShardActor::drop_standby() {
  StandbyLink link = std::move(*link_);
  link_.reset();
  if (link.watcher) cancel(*link.watcher);
  cancel_asks_to(link.standby.address);
  former_standbys_.insert(link.standby.address);
  for (auto& [number, item] : link.items) answer(item);
}

void ParameterShardActor::forget_standby(const Error& why) {
  if (link_)
    for (auto& [number, item] : link_->items) {
      for (auto& reply : item.pushed) reply.fail(why);
      for (auto& reply : item.committed) reply.fail(why);
    }
  link_.reset();
  former_standbys_.clear();
}

}  // namespace slime::actors
