#include "trainer/optim/schedules.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "trainer/names/named_list.hpp"
#include "trainer/names/unknown_name.hpp"

namespace slime::trainer {

namespace {

double constant(const ScheduleSettings& settings, double) {
  return settings.learning_rate;
}

double step(const ScheduleSettings& settings, double epochs_done) {
  return settings.learning_rate *
         std::pow(settings.step_factor, std::floor(epochs_done / settings.step_epochs));
}

/// Loshchilov and Hutter 2016 (arXiv:1608.03983, eq. 5), one period, down to 0.
double cosine(const ScheduleSettings& settings, double epochs_done) {
  const double done = std::min(epochs_done / settings.epochs, 1.0);
  return settings.learning_rate * (1 + std::cos(std::numbers::pi * done)) / 2;
}

struct Entry {
  std::string_view name;
  Schedule::Formula formula;
};

constexpr std::array entries{
    Entry{"constant", constant},
    Entry{"step", step},
    Entry{"cosine", cosine},
};
constexpr auto schedule_names = names_of(entries);

Error out_of_range(std::string_view setting, double value, std::string_view range) {
  return Error{Errc::invalid_argument, std::string(setting) + " is " + std::to_string(value) +
                                           "; it must lie in " + std::string(range)};
}

}  // namespace

std::span<const std::string_view> Schedule::names() {
  return schedule_names;
}

Result<Schedule> Schedule::make(std::string_view name, const ScheduleSettings& settings) {
  const Entry* entry = find_named(entries, name);
  if (entry == nullptr) return unknown_name("schedule", name, schedule_names);
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  if (!positive(settings.learning_rate))
    return out_of_range("learning_rate", settings.learning_rate, "(0, inf)");
  if (!positive(settings.step_epochs))
    return out_of_range("step_epochs", settings.step_epochs, "(0, inf)");
  if (!positive(settings.step_factor) || settings.step_factor > 1)
    return out_of_range("step_factor", settings.step_factor, "(0, 1]");
  if (!positive(settings.epochs)) return out_of_range("epochs", settings.epochs, "(0, inf)");
  if (settings.training_samples == 0)
    return Error{Errc::invalid_argument, "making a learning-rate schedule: no training samples"};
  return Schedule(entry->formula, settings);
}

double Schedule::learning_rate(std::uint64_t samples) const {
  return formula_(settings_,
                  static_cast<double>(samples) / static_cast<double>(settings_.training_samples));
}

}  // namespace slime::trainer
