#pragma once

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <cstddef>
#include <future>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "runtime/base/clock.hpp"

namespace slime::bench {

/// What one driver actor does: `one_way` messages without an answer, then `asks` with one, of
/// which `window` are under way at a time.
struct Drive {
  caf::actor target;
  caf::message payload;
  std::size_t one_way = 0;
  std::size_t asks = 0;
  std::size_t window = 1;

  std::size_t issued = 0;
  std::vector<double> seconds;  ///< Of each ask, in the order of the answers.
  std::promise<void> done;
};

template <class Answer>
void issue(caf::event_based_actor* self, const std::shared_ptr<Drive>& drive) {
  ++drive->issued;
  const Instant start = monotonic_now();
  self->request(drive->target, caf::infinite, drive->payload)
      .then(
          [self, drive, start](const Answer&) {
            drive->seconds.push_back(to_seconds(monotonic_now() - start));
            if (drive->issued < drive->asks) issue<Answer>(self, drive);
            if (drive->seconds.size() == drive->asks) drive->done.set_value();
          },
          [self, drive](caf::error& error) {
            drive->done.set_exception(
                std::make_exception_ptr(std::runtime_error(self->system().render(error))));
            self->quit();
          });
}

/// Runs it on an actor of its own, of class `Self`. @returns seconds from the first message to the
/// last answer.
template <class Answer, class Self = caf::event_based_actor>
double run_drive(caf::actor_system& system, const std::shared_ptr<Drive>& drive) {
  auto done = drive->done.get_future();
  const Instant start = monotonic_now();
  system.spawn([drive](Self* self) {
    for (std::size_t i = 0; i < drive->one_way; ++i) caf::anon_send(drive->target, drive->payload);
    while (drive->issued < drive->window && drive->issued < drive->asks) issue<Answer>(self, drive);
  });
  done.get();
  return to_seconds(monotonic_now() - start);
}

}  // namespace slime::bench
