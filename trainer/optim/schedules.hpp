#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/base/error.hpp"

namespace slime::trainer {

struct ScheduleSettings {
  double learning_rate = 0.1;          ///< At the start; > 0.
  double step_epochs = 1;              ///< Of "step": epochs between two changes; > 0.
  double step_factor = 0.1;            ///< Of "step": what each change multiplies by; (0, 1].
  double epochs = 1;                   ///< Of the whole job; > 0.
  std::uint64_t training_samples = 1;  ///< In one epoch; > 0.
};

/// How the learning rate changes over a job: a formula of the epochs done, as a real number. It is
/// indexed by samples, not by pushes or iterations, so that it is the same whatever the batch, the
/// mode and the number of workers. Not all libraries round powers and cosines alike: one side
/// computes the rate and sends it to all shards.
class Schedule {
 public:
  using Formula = double (*)(const ScheduleSettings& settings, double epochs_done);

  /// Names of all schedules.
  static std::span<const std::string_view> names();
  /// Errors: invalid_argument (no such name, or a setting out of its range).
  static Result<Schedule> make(std::string_view name, const ScheduleSettings& settings);

  /// The rate for the iteration that starts after `samples` samples of the job have been used.
  double learning_rate(std::uint64_t samples) const;

 private:
  Schedule(Formula formula, const ScheduleSettings& settings)
      : formula_(formula), settings_(settings) {}

  Formula formula_;
  ScheduleSettings settings_;
};

}  // namespace slime::trainer
