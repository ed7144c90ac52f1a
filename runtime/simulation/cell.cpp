#include "runtime/simulation/cell.hpp"

#include "runtime/simulation/journal.hpp"
#include "runtime/simulation/traffic.hpp"

namespace slime::runtime {

// Once the actor has ended, what its destructors still say goes nowhere.

Instant Cell::now() const noexcept {
  return traffic_.now();
}

bool Cell::tell(const ActorAddress& to, const AnyMessage& message) noexcept {
  if (active()) traffic_.tell(*this, to, message);
  return true;
}

void Cell::ask(std::uint64_t ask, const ActorAddress& to, const AnyMessage& message,
               Duration deadline) noexcept {
  if (state == State::live) traffic_.ask(*this, ask, to, message, deadline);
}

void Cell::answer(std::uint64_t request, const AnyMessage& message) noexcept {
  if (active()) traffic_.answer(*this, request, message);
}

void Cell::start_timer(std::uint64_t timer, Duration delay) noexcept {
  if (state == State::live) traffic_.start_timer(*this, timer, delay);
}

void Cell::watch(const ActorAddress& target) noexcept {
  if (state == State::live) traffic_.watch(*this, target);
}

void Cell::stop(const AnyMessage& reason) noexcept {
  if (state == State::live && !stop_reason) stop_reason = reason;
}

void Cell::log(LogLevel level, const char* text, std::size_t length) noexcept {
  journal_.write(traffic_.now(), address, level, std::string_view(text, length));
}

}  // namespace slime::runtime
