#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "runtime/actor/host.hpp"
#include "runtime/base/error.hpp"

namespace slime::runtime {

class Journal;
class Traffic;

/// The place of one actor in a simulation and what its behaviour sees as its host. It outlives the
/// actor. Its state is written by the simulation
/// only.
class Cell final : public Host {
 public:
  enum class State : std::uint8_t { absent, live, stopping, ended };

  Cell(Traffic& traffic, Journal& journal, std::uint32_t at, std::uint32_t on,
       const ActorAddress& named)
      : index(at), node(on), address(named), traffic_(traffic), journal_(journal) {}

  ActorAddress self() const noexcept override { return address; }
  Instant now() const noexcept override;
  bool tell(const ActorAddress& to, const AnyMessage& message) noexcept override;
  void ask(std::uint64_t ask, const ActorAddress& to, const AnyMessage& message,
           Duration deadline) noexcept override;
  void answer(std::uint64_t request, const AnyMessage& message) noexcept override;
  void start_timer(std::uint64_t timer, Duration delay) noexcept override;
  void watch(const ActorAddress& target) noexcept override;
  void stop(const AnyMessage& reason) noexcept override;
  void log(LogLevel level, const char* text, std::size_t length) noexcept override;

  /// Whether the actor may take turns and act.
  bool active() const { return state == State::live || state == State::stopping; }

  const std::uint32_t index;  ///< Its place in the roster.
  const std::uint32_t node;   ///< Its node's.
  const ActorAddress address;
  State state = State::absent;
  bool started = false;
  bool in_turn = false;
  std::string_view type;
  std::unique_ptr<Behaviour> behaviour;
  std::optional<AnyMessage> stop_reason;  ///< It ends after the present turn.
  Instant ended_at;
  std::optional<Error> end;  ///< Why it ended; none after a normal end.
  Instant last_local;        ///< When the last message that it sent within its node arrives.

 private:
  Traffic& traffic_;
  Journal& journal_;
};

}  // namespace slime::runtime
