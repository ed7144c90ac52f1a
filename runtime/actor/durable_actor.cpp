#include "runtime/actor/durable_actor.hpp"

#include <kj/exception.h>

#include "runtime/wire/address.hpp"

namespace slime::runtime {

namespace {

constexpr Retry guide_retry{std::chrono::milliseconds(50), std::chrono::seconds(1)};
constexpr Duration pause = std::chrono::milliseconds(200);

/// Long enough for what is to be sent and read, or it is sent again and again.
Duration time_for(std::size_t words) {
  return std::chrono::seconds(2 + words / (std::size_t{1} << 20));
}

/// The store may be there again soon, or elsewhere.
bool will_pass(Errc code) {
  return code == Errc::unavailable || code == Errc::timeout || code == Errc::overloaded;
}

capnp::Data::Reader data_of(const Words& words) {
  const auto bytes = words.as_bytes();
  return kj::arrayPtr(reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size());
}

Words words_of(capnp::Data::Reader data) {
  return Words::copy(std::as_bytes(std::span(data.begin(), data.size())));
}

}  // namespace

DurableBase::DurableBase(Host& host, std::uint64_t state_type, Durability durability)
    : ActorBase(host),
      state_type_(state_type),
      durability_(std::move(durability)),
      replies_(durability_.replies) {
  handle(type_id<schema::CallOnce>(),
         [this](std::uint64_t request, const AnyMessage& any) { receive_once(request, any); });
}

void DurableBase::understand(std::uint64_t type, std::variant<Change, View, Handler> handler) {
  handlers_.insert_or_assign(type, std::move(handler));
  handle(type, [this](std::uint64_t request, const AnyMessage& any) {
    receive({ActorBase::sender(), request, {}, any});
  });
}

void DurableBase::on_start() {
  load();
}

// What comes in.

void DurableBase::receive_once(std::uint64_t request, const AnyMessage& any) {
  const std::string what = "asking " + to_string(self()) + " once: ";
  Arrived call{.sender = ActorBase::sender(), .request = request, .id = {}, .message = {}};
  try {
    Message<schema::CallOnce>::adopt(any.words).read([&](schema::CallOnce::Reader root) {
      call.id = read_call(root.getId());
      call.message = {root.getType(), words_of(root.getMessage())};
    });
  } catch (const kj::Exception& malformed) {
    // Whoever sent it shall not end this actor.
    return answer(request,
                  to_failure(Error{Errc::corruption, what + "the call is malformed: " +
                                                         malformed.getDescription().cStr()}));
  }
  const auto known = handlers_.find(call.message.type);
  if (request == 0 || known == handlers_.end() || std::holds_alternative<Handler>(known->second))
    return answer(request, to_failure(Error{Errc::invalid_argument,
                                            what + "it does not answer this message"}));
  if (!call.id)
    return answer(
        request, to_failure(Error{Errc::invalid_argument, what + "the call's id names no caller"}));
  receive(std::move(call));
}

void DurableBase::receive(Arrived arrived) {
  if (ended_) return;
  if (ready_) return run(arrived);
  if (early_.size() < durability_.waiting_max) return early_.push_back(std::move(arrived));
  const Error full{Errc::overloaded, "actor " + durability_.name + ": " +
                                         std::to_string(early_.size()) +
                                         " messages wait for its state already"};
  if (arrived.request == 0) return log(LogLevel::warning, to_string(full) + "; one is dropped");
  answer(arrived.request, to_failure(full));
}

void DurableBase::run(const Arrived& arrived) {
  sender_ = arrived.sender;
  const auto& handler = handlers_.at(arrived.message.type);
  if (const auto* other = std::get_if<Handler>(&handler))
    return (*other)(arrived.request, arrived.message);
  if (const auto* change = std::get_if<Change>(&handler)) return carry_out(*change, arrived);
  const auto seen = std::get<View>(handler)(arrived.message);
  settle(arrived.request, seen ? *seen : to_failure(seen.error()));
}

void DurableBase::carry_out(const Change& change, const Arrived& arrived) {
  if (arrived.id) {
    const auto known = replies_.find(arrived.id, now());
    if (!known) return settle(arrived.request, to_failure(known.error()));
    if (*known) return repeat(arrived.request, **known);
  }
  if (next_.answers.size() >= durability_.waiting_max)
    return answer(arrived.request, to_failure(too_many_wait()));
  const auto result = change(arrived.message, arrived.id);
  if (!result) return settle(arrived.request, to_failure(result.error()));
  if (arrived.id && result->words.bytes() > durability_.reply_bytes_max)
    return end(Error{Errc::invalid_argument,
                     "answering a call: the reply has " + std::to_string(result->words.bytes()) +
                         " bytes and may have " + std::to_string(durability_.reply_bytes_max) +
                         ", for it is kept"});
  changed_ = true;
  next_.answers.emplace_back(arrived.request, *result);
  if (arrived.id) {
    next_.replies.emplace_back(arrived.id, *result);
    for (CallId& gone : replies_.add(arrived.id, {*result, write_ + 1}, now()))
      next_.forgotten.push_back(std::move(gone));
  }
  write();
}

void DurableBase::repeat(std::uint64_t request, const KeptReplies::Reply& reply) {
  if (reply.write > write_) return wait_with(next_, request, reply.message);
  if (writing_ && reply.write == write_) return wait_with(present_, request, reply.message);
  answer(request, reply.message);
}

void DurableBase::settle(std::uint64_t request, const AnyMessage& message) {
  if (changed_) return wait_with(next_, request, message);
  if (writing_) return wait_with(present_, request, message);
  answer(request, message);
}

void DurableBase::wait_with(Batch& batch, std::uint64_t request, const AnyMessage& message) {
  if (batch.answers.size() >= durability_.waiting_max)
    return answer(request, to_failure(too_many_wait()));
  batch.answers.emplace_back(request, message);
}

Error DurableBase::too_many_wait() const {
  return {Errc::overloaded, "actor " + durability_.name + ": " +
                                std::to_string(durability_.waiting_max) +
                                " answers wait for its state to be written already"};
}

void DurableBase::answer(std::uint64_t request, const AnyMessage& message) {
  if (request != 0) host().answer(request, message);
}

void DurableBase::when_kept(std::function<void()> done) {
  if (changed_)
    next_.done.push_back(std::move(done));
  else if (writing_)
    present_.done.push_back(std::move(done));
  else
    done();
}

// What is kept.

void DurableBase::keep() {
  changed_ = true;
  write();
}

void DurableBase::load() {
  const auto request = Message<schema::LoadState>::make([this](schema::LoadState::Builder root) {
    root.setName(durability_.name);
    write_address(root.initHolder(), self());
    root.setVersion(durability_.version);
  });
  find_store([this, request] {
    ask_store<schema::LoadState, schema::LoadedState>(
        request, [this](const Message<schema::LoadedState>& loaded) { restore(loaded); });
  });
}

void DurableBase::restore(const Message<schema::LoadedState>& loaded) {
  Status restored = ok();
  loaded.read([&](schema::LoadedState::Reader root) {
    generation_ = root.getGeneration();
    const auto kept = root.getState();
    if (kept.getType() == 0) return;
    const auto state = as_version({{kept.getType(), words_of(kept.getWords())}, kept.getVersion()},
                                  state_type_, durability_.version, durability_.upcasters);
    restored = state ? read_state(*state) : Status(state.error());
    for (const schema::KeptReply::Reader reply : root.getReplies())
      for (CallId& gone : replies_.add(read_call(reply.getId()),
                                       {{reply.getType(), words_of(reply.getMessage())}, 0}, now()))
        next_.forgotten.push_back(std::move(gone));
  });
  if (!restored) return end(restored.error());
  ready_ = true;
  on_ready();
  write();
  while (!early_.empty() && !ended_) {
    const Arrived first = std::move(early_.front());
    early_.pop_front();
    run(first);
  }
}

void DurableBase::write() {
  if (!ready_ || writing_ || !changed_ || ended_) return;
  const AnyMessage state = write_state();
  if (state.words.bytes() > durability_.state_bytes_max)
    return end(Error{Errc::invalid_argument,
                     "writing it: it has " + std::to_string(state.words.bytes()) +
                         " bytes and may have " + std::to_string(durability_.state_bytes_max)});
  ++write_;
  writing_ = true;
  changed_ = false;
  present_ = std::exchange(next_, {});
  ask_store<schema::SaveState, schema::StateSaved>(
      describe(state), [this](const Message<schema::StateSaved>&) { written(); });
}

Message<schema::SaveState> DurableBase::describe(const AnyMessage& state) const {
  std::size_t words = state.words.count() + 128 + 48 * present_.forgotten.size();
  for (const auto& [id, reply] : present_.replies) words += reply.words.count() + 64;
  return Message<schema::SaveState>::make(
      [&](schema::SaveState::Builder root) {
        root.setName(durability_.name);
        root.setGeneration(generation_);
        root.setWrite(write_);
        auto kept = root.initState();
        kept.setType(state.type);
        kept.setVersion(durability_.version);
        kept.setWords(data_of(state.words));
        auto replies = root.initReplies(static_cast<unsigned>(present_.replies.size()));
        for (unsigned i = 0; i < replies.size(); ++i) {
          const auto& [id, reply] = present_.replies[i];
          write_call(replies[i].initId(), id);
          replies[i].setType(reply.type);
          replies[i].setMessage(data_of(reply.words));
        }
        auto forgotten = root.initForgotten(static_cast<unsigned>(present_.forgotten.size()));
        for (unsigned i = 0; i < forgotten.size(); ++i)
          write_call(forgotten[i], present_.forgotten[i]);
      },
      words);
}

void DurableBase::written() {
  writing_ = false;
  const Batch kept = std::exchange(present_, {});
  for (const auto& [request, message] : kept.answers) answer(request, message);
  for (const auto& done : kept.done) done();
  write();
}

template <class Q, class A>
void DurableBase::ask_store(const Message<Q>& request,
                            std::function<void(const Message<A>&)> done) {
  ask(StateStore{store_}, request, time_for(request.words().count()),
      [this, request, done](const Result<Message<A>>& answered) {
        if (answered) return done(*answered);
        if (!will_pass(answered.error().code)) return end(answered.error());
        after(pause, [this, request, done] {
          find_store([this, request, done] { ask_store<Q, A>(request, done); });
        });
      });
}

void DurableBase::find_store(std::function<void()> done) {
  const StateGuide guide{ActorAddress{self().node, self().incarnation, state_guide_number}};
  ask_until_answered(guide, Message<schema::FindStateStore>::make(), guide_retry,
                     [this, done](const Result<Message<schema::StateStoreFound>>& found) {
                       if (!found) return end(found.error());
                       store_ = found->read([](schema::StateStoreFound::Reader root) {
                         return read_address(root.getAddress());
                       });
                       done();
                     });
}

void DurableBase::end(const Error& why) {
  ended_ = true;
  stop(Error{why.code, "the state of actor " + durability_.name + ": " + why.context});
}

}  // namespace slime::runtime
