#include "actors/system/state_store.hpp"

#include <kj/exception.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "runtime/actor/call_once.hpp"
#include "runtime/wire/address.hpp"

namespace slime::actors {

using runtime::Message;
using runtime::Reply;

namespace {

constexpr std::size_t name_bytes_max = 256;
/// Of one write: what the SDK allows of state and replies, and some room.
constexpr std::size_t write_bytes_max = std::size_t{48} << 20;
/// Beyond, writes are made without waiting for more to come.
constexpr std::size_t pending_bytes_max = std::size_t{16} << 20;

/// Sorted by caller and number.
std::string key_of(schema::CallId::Reader call) {
  char number[17];
  std::snprintf(number, sizeof number, "%016llx",
                static_cast<unsigned long long>(call.getNumber()));
  return std::string(call.getCaller().cStr(), call.getCaller().size()) + '\0' + number;
}

// Texts are checked only when they are read.

void read_texts(schema::LoadState::Reader root) {
  static_cast<void>(root.getName());
}
void read_texts(schema::SaveState::Reader root) {
  static_cast<void>(root.getName());
  for (const schema::KeptReply::Reader reply : root.getReplies())
    static_cast<void>(reply.getId().getCaller());
  for (const schema::CallId::Reader call : root.getForgotten()) static_cast<void>(call.getCaller());
}

/// No actor's mistake may end the store of all. Errors: corruption.
template <class Q>
Status check(const Message<Q>& message) {
  if (const auto sound = Message<Q>::checked(message.any()); !sound) return sound.error();
  try {
    message.read([](typename Q::Reader root) { read_texts(root); });
    return ok();
  } catch (const kj::Exception& malformed) {
    return Error{Errc::corruption, std::string("reading a message: it is malformed: ") +
                                       malformed.getDescription().cStr()};
  }
}

Status check_name(schema::LoadState::Reader root) {
  const std::string name(root.getName().cStr(), root.getName().size());
  if (!name.empty() && name.size() <= name_bytes_max && name.find('\0') == std::string::npos)
    return ok();
  return Error{Errc::invalid_argument, "loading a state: its name has " +
                                           std::to_string(name.size()) +
                                           " bytes; give one of 1 to " +
                                           std::to_string(name_bytes_max) + " without a zero byte"};
}

std::size_t bytes_of(const storage::StoredState& stored) {
  std::size_t bytes = stored.state.bytes();
  for (const auto& [call, reply] : stored.replies) bytes += call.size() + reply.bytes();
  return bytes;
}

Message<schema::KeptState> kept_as(const ActorAddress& holder, std::uint64_t generation,
                                   std::uint64_t write, schema::ActorState::Reader state) {
  return Message<schema::KeptState>::make(
      [&](schema::KeptState::Builder root) {
        root.setGeneration(generation);
        runtime::write_address(root.initHolder(), holder);
        root.setWrite(write);
        root.setState(state);
      },
      static_cast<std::size_t>(state.totalSize().wordCount) + 64);
}

Message<schema::LoadedState> loaded_as(std::uint64_t generation, schema::ActorState::Reader state,
                                       const storage::StoredState& stored) {
  return Message<schema::LoadedState>::make(
      [&](schema::LoadedState::Builder root) {
        root.setGeneration(generation);
        root.setState(state);
        auto replies = root.initReplies(static_cast<unsigned>(stored.replies.size()));
        for (unsigned i = 0; i < replies.size(); ++i)
          Message<schema::KeptReply>::adopt(stored.replies[i].reply)
              .read([&](schema::KeptReply::Reader reply) { replies.setWithCaveats(i, reply); });
      },
      bytes_of(stored) / 8 + 64);
}

storage::StateChange change_of(const std::string& name, const ActorAddress& holder,
                               schema::SaveState::Reader root) {
  storage::StateChange change;
  change.name = name;
  change.state = kept_as(holder, root.getGeneration(), root.getWrite(), root.getState()).words();
  for (const schema::KeptReply::Reader reply : root.getReplies())
    change.replies.push_back(
        {key_of(reply.getId()), Message<schema::KeptReply>::copy(reply).words()});
  for (const schema::CallId::Reader call : root.getForgotten())
    change.forgotten.push_back(key_of(call));
  return change;
}

}  // namespace

StateStoreActor::StateStoreActor(runtime::Host& host, ActorStateKeeper* keeper)
    : Actor(host), keeper_(keeper ? *keeper : memory_) {
  on(&StateStoreActor::load);
  on(&StateStoreActor::save);
}

void StateStoreActor::load(const Message<schema::LoadState>& message,
                           Reply<schema::LoadedState> reply) {
  if (const Status sound = check(message); !sound) return reply.fail(sound.error());
  if (!flush()) return reply.fail(Error{Errc::io_error, "what came before could not be written"});
  message.read([&](schema::LoadState::Reader root) {
    if (const Status named = check_name(root); !named) return reply.fail(named.error());
    const std::string name = root.getName();
    auto stored = keeper_.get(name);
    if (!stored && stored.error().code != Errc::not_found) return reply.fail(stored.error());
    if (!stored) stored = storage::StoredState{};
    Message<schema::KeptState>::adopt(stored->state).read([&](schema::KeptState::Reader kept) {
      const auto state = kept.getState();
      if (state.getVersion() > root.getVersion())
        return reply.fail(Error{Errc::incompatible,
                                "what is kept is of version " + std::to_string(state.getVersion()) +
                                    " and this program knows up to " +
                                    std::to_string(root.getVersion()) +
                                    "; run the program that wrote it, or a later one"});
      const ActorAddress holder = runtime::read_address(root.getHolder());
      // Whoever asks again has not heard the answer.
      const bool again = holder && runtime::read_address(kept.getHolder()) == holder;
      Holding next{kept.getGeneration(), kept.getWrite(), state.getVersion(), holder};
      if (!again) {
        ++next.generation;
        next.write = 0;
        const storage::StateChange change{
            name, kept_as(holder, next.generation, 0, state).words(), {}};
        if (const Status put = keeper_.put({&change, 1}); !put) {
          reply.fail(put.error());
          return stop(put.error());
        }
      }
      holdings_[name] = next;
      reply.send(loaded_as(next.generation, state, *stored));
    });
  });
}

void StateStoreActor::save(const Message<schema::SaveState>& message,
                           Reply<schema::StateSaved> reply) {
  if (const Status sound = check(message); !sound) return reply.fail(sound.error());
  message.read([&](schema::SaveState::Reader root) {
    const std::string name = root.getName();
    const std::string what = "writing the state of actor \"" + name + "\": ";
    if (message.words().bytes() > write_bytes_max)
      return reply.fail(Error{Errc::invalid_argument, what + "it has " +
                                                          std::to_string(message.words().bytes()) +
                                                          " bytes with its replies and may have " +
                                                          std::to_string(write_bytes_max)});
    const auto due = is_due(name, root);
    if (!due) return reply.fail(Error{due.error().code, what + due.error().context});
    if (!*due && waiting_.empty()) return reply.send(Message<schema::StateSaved>::make());
    if (*due) {
      Holding& known = holdings_.at(name);
      known.write = root.getWrite();
      known.version = root.getState().getVersion();
      changes_.push_back(change_of(name, known.holder, root));
      bytes_ += message.words().bytes();
    }
    waiting_.push_back(std::move(reply));
    if (bytes_ > pending_bytes_max) {
      static_cast<void>(flush());
    } else if (!std::exchange(flush_is_due_, true)) {
      // After the messages that are here already, so that their writes share the wait.
      after(Duration::zero(), [this] {
        flush_is_due_ = false;
        static_cast<void>(flush());
      });
    }
  });
}

Result<bool> StateStoreActor::is_due(const std::string& name, schema::SaveState::Reader root) {
  const auto known = holding(name);
  if (!known && known.error().code != Errc::not_found) return known.error();
  if (!known)
    return Error{Errc::stale,
                 "this head knows no such actor: what it kept ended with an earlier "
                 "process of it, which had no --state DIR"};
  const Holding& now = **known;
  if (root.getGeneration() != now.generation)
    return Error{Errc::stale, "it is of generation " + std::to_string(root.getGeneration()) +
                                  ", and actor " + to_string(now.holder) +
                                  " has loaded it since, as generation " +
                                  std::to_string(now.generation)};
  if (root.getWrite() <= now.write) return false;
  if (root.getWrite() != now.write + 1)
    return Error{Errc::invalid_argument, "it is write " + std::to_string(root.getWrite()) +
                                             ", and the last one was " + std::to_string(now.write)};
  if (root.getState().getVersion() < now.version)
    return Error{Errc::incompatible,
                 "it is of version " + std::to_string(root.getState().getVersion()) +
                     ", and version " + std::to_string(now.version) + " is kept"};
  return true;
}

Result<StateStoreActor::Holding*> StateStoreActor::holding(const std::string& name) {
  const auto known = holdings_.find(name);
  if (known != holdings_.end()) return &known->second;
  const auto stored = keeper_.get(name);
  if (!stored) return stored.error();
  Holding& read = holdings_[name];
  Message<schema::KeptState>::adopt(stored->state).read([&](schema::KeptState::Reader kept) {
    read = {kept.getGeneration(), kept.getWrite(), kept.getState().getVersion(),
            runtime::read_address(kept.getHolder())};
  });
  return &read;
}

bool StateStoreActor::flush() {
  if (changes_.empty()) return true;
  bytes_ = 0;
  const Status put = keeper_.put(std::exchange(changes_, {}));
  for (auto& reply : std::exchange(waiting_, {}))
    put ? reply.send(Message<schema::StateSaved>::make()) : reply.fail(put.error());
  if (!put) stop(put.error());
  return bool(put);
}

runtime::ActorType state_store_type(ActorStateKeeper* keeper) {
  return {
      "state_store", keeper ? runtime::Turns::blocking : runtime::Turns::computing,
      [keeper](runtime::Host& host, const runtime::AnyMessage&) {
        return std::unique_ptr<runtime::Behaviour>(std::make_unique<StateStoreActor>(host, keeper));
      }};
}

}  // namespace slime::actors
