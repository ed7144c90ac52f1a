#pragma once

#include <chrono>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "runtime/actor/actor.hpp"
#include "runtime/actor/catalogue.hpp"
#include "runtime/wire/address.hpp"
#include "tests/cluster/probe.capnp.h"

namespace slime::tests {

using ProbeProtocol =
    runtime::Protocol<runtime::Ask<schema::Say, schema::Said>, runtime::Tell<schema::Crash>,
                      runtime::Tell<schema::Block>, runtime::Ask<schema::Relay, schema::Said>,
                      runtime::Ask<schema::Watch, schema::Said>>;
using ProbeRef = runtime::Ref<ProbeProtocol>;

/// An actor that does what it is told: answers, late or never, throws, blocks, asks and watches.
class Probe : public runtime::Actor<ProbeProtocol> {
 public:
  Probe(runtime::Host& host, const runtime::Message<schema::ProbeSpec>& spec) : Actor(host) {
    spec.read([](schema::ProbeSpec::Reader root) {
      if (root.getThrowText().size() > 0) throw std::runtime_error(root.getThrowText().cStr());
    });
    on(&Probe::say);
    on(&Probe::crash);
    on(&Probe::block);
    on(&Probe::relay);
    on(&Probe::watch_one);
  }

  static runtime::ActorType type() {
    return runtime::actor_type<Probe, schema::ProbeSpec>("probe");
  }
  static runtime::ActorType blocking_type() {
    return runtime::actor_type<Probe, schema::ProbeSpec>("blocking_probe",
                                                         runtime::Turns::blocking);
  }

 private:
  using Said = runtime::Message<schema::Said>;

  Said said(std::string text) {
    return Said::make([&](schema::Said::Builder root) {
      root.setText(text);
      root.setCount(count_);
    });
  }

  void say(const runtime::Message<schema::Say>& message, runtime::Reply<schema::Said> reply) {
    ++count_;
    message.read([&](schema::Say::Reader root) {
      if (root.getDelayMs() == 0) return reply.send(said(root.getText()));
      const auto id = ++last_kept_;
      kept_.emplace(id, std::move(reply));
      if (root.getDelayMs() == UINT32_MAX) return;
      after(std::chrono::milliseconds(root.getDelayMs()),
            [this, id, text = std::string(root.getText())] {
              kept_.at(id).send(said(text));
              kept_.erase(id);
            });
    });
  }

  void crash(const runtime::Message<schema::Crash>& message) {
    throw std::runtime_error(
        message.read([](schema::Crash::Reader root) { return std::string(root.getText()); }));
  }

  void block(const runtime::Message<schema::Block>& message) {
    ++count_;
    std::this_thread::sleep_for(std::chrono::milliseconds(
        message.read([](schema::Block::Reader root) { return root.getMs(); })));
  }

  void relay(const runtime::Message<schema::Relay>& message, runtime::Reply<schema::Said> reply) {
    const auto id = ++last_kept_;
    kept_.emplace(id, std::move(reply));
    message.read([&](schema::Relay::Reader root) {
      const auto question = runtime::Message<schema::Say>::make([&](schema::Say::Builder say) {
        say.setText(root.getText());
        say.setDelayMs(root.getDelayMs());
      });
      ask(ProbeRef{runtime::read_address(root.getTo())}, question,
          std::chrono::milliseconds(root.getDeadlineMs()), [this, id](Result<Said> answer) {
            answer ? kept_.at(id).send(*answer) : kept_.at(id).fail(answer.error());
            kept_.erase(id);
          });
    });
  }

  void watch_one(const runtime::Message<schema::Watch>& message,
                 runtime::Reply<schema::Said> reply) {
    const ActorAddress target = message.read(
        [](schema::Watch::Reader root) { return runtime::read_address(root.getTarget()); });
    watching_.emplace(target, std::move(reply));
    watch(ProbeRef{target});
  }

  void on_down(const ActorAddress& target, const Error& error) override {
    const auto found = watching_.find(target);
    if (found == watching_.end()) return;
    found->second.send(said(to_string(error)));
    watching_.erase(found);
  }

  std::uint32_t count_ = 0;
  std::uint64_t last_kept_ = 0;
  std::map<std::uint64_t, runtime::Reply<schema::Said>> kept_;
  std::map<ActorAddress, runtime::Reply<schema::Said>> watching_;
};

// Messages to a probe.

inline runtime::Message<schema::Say> say(const std::string& text, std::uint32_t delay_ms = 0) {
  return runtime::Message<schema::Say>::make([&](schema::Say::Builder root) {
    root.setText(text);
    root.setDelayMs(delay_ms);
  });
}
inline runtime::Message<schema::Crash> crash(const std::string& text) {
  return runtime::Message<schema::Crash>::make(
      [&](schema::Crash::Builder root) { root.setText(text); });
}
inline runtime::Message<schema::Block> block(std::uint32_t ms) {
  return runtime::Message<schema::Block>::make(
      [&](schema::Block::Builder root) { root.setMs(ms); });
}
inline runtime::Message<schema::Relay> relay(const ActorAddress& to, std::uint32_t delay_ms,
                                             std::uint32_t deadline_ms) {
  return runtime::Message<schema::Relay>::make([&](schema::Relay::Builder root) {
    runtime::write_address(root.initTo(), to);
    root.setText("relayed");
    root.setDelayMs(delay_ms);
    root.setDeadlineMs(deadline_ms);
  });
}
inline runtime::Message<schema::Watch> watch(const ActorAddress& target) {
  return runtime::Message<schema::Watch>::make(
      [&](schema::Watch::Builder root) { runtime::write_address(root.initTarget(), target); });
}
inline runtime::Message<schema::ProbeSpec> probe_spec(const std::string& throw_text = {}) {
  return runtime::Message<schema::ProbeSpec>::make(
      [&](schema::ProbeSpec::Builder root) { root.setThrowText(throw_text); });
}
inline std::string text_of(const runtime::Message<schema::Said>& answer) {
  return answer.read([](schema::Said::Reader root) { return std::string(root.getText()); });
}

}  // namespace slime::tests
