#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/actor/catalogue.hpp"
#include "runtime/actor/durable_actor.hpp"
#include "tests/support/counter.capnp.h"

namespace slime::tests {

using CounterProtocol =
    runtime::Protocol<runtime::Ask<schema::Add, schema::Count>,
                      runtime::Ask<schema::GetCount, schema::Count>, runtime::Tell<schema::Nudge>>;
using CounterRef = runtime::Ref<CounterProtocol>;
using Count = runtime::Message<schema::Count>;

/// A durable actor that counts.
class Counter final : public runtime::DurableActor<CounterProtocol, schema::CounterState> {
 public:
  static constexpr std::uint32_t newest_version = 3;

  Counter(runtime::Host& host, const runtime::Message<schema::CounterSpec>& spec)
      : Counter(host, durability(spec)) {}
  Counter(runtime::Host& host, runtime::Durability durability)
      : DurableActor(host, std::move(durability)) {
    on(&Counter::add);
    on(&Counter::read);
    on(&Counter::nudge);
  }

  static runtime::ActorType type() {
    return runtime::actor_type<Counter, schema::CounterSpec>("counter");
  }

  using DurableBase::when_kept;

  std::vector<runtime::CallId> carried_out;  ///< In their order.
  int ready = 0;

 private:
  static runtime::Durability durability(const runtime::Message<schema::CounterSpec>& spec) {
    return spec.read([](schema::CounterSpec::Reader root) {
      runtime::Durability made{
          .name = root.getName(),
          .version = root.getVersion() == 0 ? newest_version : root.getVersion()};
      made.upcasters = {
          runtime::upcaster<schema::FirstCounterState, schema::SecondCounterState>(
              1, [](auto old, auto next) { next.setCount(12 * std::uint64_t{old.getDozens()}); }),
          runtime::upcaster<schema::SecondCounterState, schema::CounterState>(
              2, [](auto old, auto next) { next.setCount(old.getCount()); })};
      return made;
    });
  }

  void on_ready() override { ++ready; }
  void on_restore(const runtime::Message<schema::CounterState>& kept) override {
    kept.read([this](schema::CounterState::Reader root) {
      count_ = root.getCount();
      calls_ = root.getCalls();
    });
  }
  runtime::Message<schema::CounterState> state() const override {
    return runtime::Message<schema::CounterState>::make([this](schema::CounterState::Builder root) {
      root.setCount(count_);
      root.setCalls(calls_);
    });
  }

  Result<Count> add(const runtime::Message<schema::Add>& message, const runtime::CallId& id) {
    return message.read([&](schema::Add::Reader root) -> Result<Count> {
      if (root.getBy() == 0) return Error{Errc::invalid_argument, "adding nothing"};
      count_ += root.getBy();
      ++calls_;
      carried_out.push_back(id);
      if (root.getThrowText().size() > 0) throw std::runtime_error(root.getThrowText().cStr());
      return told(root.getFill());
    });
  }
  Result<Count> read(const runtime::Message<schema::GetCount>&) const { return told(0); }
  void nudge(const runtime::Message<schema::Nudge>& message) {
    count_ += message.read([](schema::Nudge::Reader root) { return root.getBy(); });
    keep();
  }

  Count told(std::uint32_t fill) const {
    return Count::make([&](schema::Count::Builder root) {
      root.setValue(count_);
      root.setCalls(calls_);
      root.initFill(fill);
    });
  }

  std::uint64_t count_ = 0;
  std::uint64_t calls_ = 0;
};

// Messages to a counter.

inline runtime::Message<schema::Add> add(std::uint64_t by, const std::string& throw_text = {},
                                         std::uint32_t fill = 0) {
  return runtime::Message<schema::Add>::make([&](schema::Add::Builder root) {
    root.setBy(by);
    root.setThrowText(throw_text);
    root.setFill(fill);
  });
}
inline runtime::Message<schema::GetCount> get_count() {
  return runtime::Message<schema::GetCount>::make();
}
inline runtime::Message<schema::CounterSpec> counter_spec(const std::string& name,
                                                          std::uint32_t version = 0) {
  return runtime::Message<schema::CounterSpec>::make([&](schema::CounterSpec::Builder root) {
    root.setName(name);
    root.setVersion(version);
  });
}
inline std::uint64_t value_of(const Count& count) {
  return count.read([](schema::Count::Reader root) { return root.getValue(); });
}

}  // namespace slime::tests
