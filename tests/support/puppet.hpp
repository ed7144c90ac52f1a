#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/actor/actor.hpp"
#include "runtime/actor/catalogue.hpp"
#include "tests/support/puppet.capnp.h"

namespace slime::tests {

using Note = runtime::Message<schema::Note>;
using Question = runtime::Message<schema::Question>;
using PuppetProtocol =
    runtime::Protocol<runtime::Tell<schema::Note>, runtime::Ask<schema::Question, schema::Note>>;
using PuppetRef = runtime::Ref<PuppetProtocol>;

inline Note note(std::uint64_t value) {
  return Note::make([value](schema::Note::Builder root) { root.setValue(value); }, 16);
}
inline Question question(std::uint64_t value) {
  return Question::make([value](schema::Question::Builder root) { root.setValue(value); }, 16);
}
inline std::uint64_t value_of(const Note& message) {
  return message.read([](schema::Note::Reader root) { return root.getValue(); });
}

/// An actor whose strings a test pulls: it does in its turns what the test hung on it, notes what
/// it was told, and answers a question with the question's value when nothing else was hung on it.
class Puppet final : public runtime::Actor<PuppetProtocol> {
 public:
  using Reply = runtime::Reply<schema::Note>;

  Puppet(runtime::Host& host, const Note& from) : Actor(host), spec(value_of(from)) {
    on(&Puppet::told);
    on(&Puppet::asked);
  }
  ~Puppet() override {
    if (when_destroyed) when_destroyed();
  }

  using Actor::after;
  using Actor::ask;
  using Actor::ask_until_answered;
  using Actor::cancel;
  using Actor::cancel_all;
  using Actor::cancel_asks_to;
  using Actor::log;
  using Actor::now;
  using Actor::self_ref;
  using Actor::sender;
  using Actor::stop;
  using Actor::tell;
  using Actor::watch;

  /// Asks `to` and keeps the answer, or the reason why there is none, in `answers`.
  void inquire(const PuppetRef& to, std::uint64_t value, Duration deadline) {
    ask(to, question(value), deadline,
        [this](Result<Note> answer) { answers.push_back(std::move(answer)); });
  }

  const std::uint64_t spec;
  std::function<void()> when_started;
  std::function<void(std::uint64_t)> when_told;
  std::function<void(std::uint64_t, Reply)> when_asked;
  std::function<void(const ActorAddress&, const Error&)> when_down;
  std::function<void()> when_stopped;
  std::function<void()> when_destroyed;
  std::vector<std::uint64_t> notes;
  std::vector<Result<Note>> answers;
  std::vector<Error> deaths;

 private:
  void on_start() override {
    if (when_started) when_started();
  }
  void told(const Note& message) {
    notes.push_back(value_of(message));
    if (when_told) when_told(notes.back());
  }
  void asked(const Question& message, Reply reply) {
    const auto value = message.read([](schema::Question::Reader root) { return root.getValue(); });
    if (when_asked)
      when_asked(value, std::move(reply));
    else
      reply.send(note(value));
  }
  void on_down(const ActorAddress& target, const Error& error) override {
    deaths.push_back(error);
    if (when_down) when_down(target, error);
  }
  void on_stop() override {
    if (when_stopped) when_stopped();
  }
};

/// The puppet's actor type; `made` is called with each one right after it was made.
inline runtime::ActorType puppet_type(std::function<void(Puppet&)> made = nullptr) {
  return {"puppet", runtime::Turns::computing,
          [made](runtime::Host& host, const runtime::AnyMessage& spec) {
            const Note typed = spec.type == 0 ? Note() : Note::from(spec).value();
            auto puppet = std::make_unique<Puppet>(host, typed);
            if (made) made(*puppet);
            return puppet;
          }};
}

}  // namespace slime::tests
