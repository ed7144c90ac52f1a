#include "trainer/balance/speed_estimator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <sstream>
#include <string_view>
#include <type_traits>

namespace slime::trainer {

namespace {

constexpr double level_gain = 0.1;
constexpr double level_window = (2 - level_gain) / level_gain;
constexpr double noise_gain = 0.03;
constexpr std::uint32_t noise_samples_minimum = 5;
constexpr double sigma_unknown = 0.2;
constexpr double sigma_minimum = 0.005;
constexpr double spike_sigmas = 3;
constexpr double change_minimum = 0.25;
constexpr double change_deviations = 4;
constexpr double deviation_per_sigma = 0.6745;  // Median absolute deviation of a normal variable.
constexpr double forgetting = 0.95;
constexpr double variation_minimum = 0.1;  // Relative spread of shares below which none is fitted.
constexpr double evidence_minimum = 4;     // Measurements, the older ones counting less.
constexpr double evidence_sigmas = 2;
constexpr double fixed_fraction_max = 0.9;  // Of the time; keeps the time per sample positive.
constexpr std::string_view saved_format = "speed1";

}  // namespace

double SpeedEstimate::window() const {
  return std::min(static_cast<double>(measurements), level_window);
}

Status SpeedEstimator::observe(const Measurement& measurement) {
  if (measurement.samples == 0) return ok();
  const double seconds = measurement.compute_s;
  if (!(seconds > 0) || !std::isfinite(seconds)) {
    return Error{Errc::invalid_argument,
                 "measuring worker " +
                     std::to_string(static_cast<std::uint32_t>(measurement.worker)) +
                     " in iteration " + std::to_string(measurement.iteration) +
                     ": its compute time of " + std::to_string(seconds) + " s is not positive"};
  }
  const bool known = estimate(measurement.iteration).measurements > 0;
  state_.last_iteration = measurement.iteration;
  if (++state_.seen <= warm_up) return ok();

  const double samples = measurement.samples;
  remember(samples, seconds);
  if (!known) {
    if (state_.sample_s == 0) state_.sample_s = seconds / samples;
    restart(seconds / predict(samples), 1);
  } else if (change_confirmed()) {
    ++state_.changes;
    restart(std::exp(median_residual(3)), 3);
  } else {
    follow(samples, seconds);
  }
  return ok();
}

SpeedEstimate SpeedEstimator::estimate(std::uint64_t iteration) const {
  if (state_.measurements == 0 || iteration > state_.last_iteration + expiry) return {};
  return {state_.fixed_s, state_.sample_s, sigma(), state_.measurements};
}

void SpeedEstimator::remember(double samples, double seconds) {
  std::shift_right(state_.samples.begin(), state_.samples.end(), 1);
  std::shift_right(state_.seconds.begin(), state_.seconds.end(), 1);
  state_.samples[0] = samples;
  state_.seconds[0] = seconds;
}

double SpeedEstimator::residual(std::size_t age) const {
  return std::log(state_.seconds[age] / predict(state_.samples[age]));
}

double SpeedEstimator::median_residual(std::size_t count) const {
  count = std::min<std::size_t>(count, state_.measurements + 1);
  std::array<double, ring_size> residuals{};
  for (std::size_t age = 0; age < count; ++age) residuals[age] = residual(age);
  std::sort(residuals.begin(), residuals.begin() + count);
  return (residuals[(count - 1) / 2] + residuals[count / 2]) / 2;
}

double SpeedEstimator::sigma() const {
  const bool known = state_.noise_samples >= noise_samples_minimum;
  return std::max(std::sqrt(state_.variance), known ? sigma_minimum : sigma_unknown);
}

bool SpeedEstimator::change_confirmed() {
  if (state_.measurements < 3) return false;
  const double median = median_residual(3);
  const double threshold =
      std::max(std::log1p(change_minimum), change_deviations * deviation_per_sigma * sigma());
  const std::int32_t side = std::abs(median) <= threshold ? 0 : median > 0 ? 1 : -1;
  const bool confirmed = side != 0 && side == state_.suspicion;
  state_.suspicion = side;
  return confirmed;
}

void SpeedEstimator::restart(double scale, std::uint32_t measurements) {
  // What slows a machine down slows all of its work, so both parts change in proportion.
  state_.fixed_s *= scale;
  state_.sample_s *= scale;
  state_.measurements = measurements;
  state_.suspicion = 0;
  state_.sums = {};
}

void SpeedEstimator::follow(double samples, double seconds) {
  const double expected = predict(samples);
  const double measured = residual(0);
  const bool spike = std::abs(measured) > spike_sigmas * sigma();
  const double accepted = spike ? median_residual(ring_size) : measured;
  learn_noise(measured);

  ++state_.measurements;
  const double gain = std::max(level_gain, 1.0 / state_.measurements);
  const double level = expected * std::exp(gain * accepted);
  state_.fixed_s = std::min(state_.fixed_s, fixed_fraction_max * level);
  state_.sample_s = (level - state_.fixed_s) / samples;

  // Only where the share was the same three times: whose work was reassigned because it was late
  // has fewer samples for that reason, and time that falls less than they do looks like a fixed
  // part.
  if (samples != state_.samples[1] || samples != state_.samples[2]) return;
  add_to_sums(samples, spike ? expected * std::exp(accepted) : seconds, expected);
  fit_fixed_part();
}

void SpeedEstimator::add_to_sums(double samples, double seconds, double expected) {
  const double weight = 1 / (expected * expected);
  Sums& sums = state_.sums;
  sums.count = forgetting * sums.count + 1;
  sums.weight = forgetting * sums.weight + weight;
  sums.x = forgetting * sums.x + weight * samples;
  sums.t = forgetting * sums.t + weight * seconds;
  sums.xx = forgetting * sums.xx + weight * samples * samples;
  sums.xt = forgetting * sums.xt + weight * samples * seconds;
  sums.tt = forgetting * sums.tt + weight * seconds * seconds;
}

void SpeedEstimator::learn_noise(double measured) {
  // Cut at two sigma, so that a change of speed in progress does not pass for noise and hide
  // itself; an estimate that is too small still grows, but not before there is one.
  const bool known = state_.noise_samples >= noise_samples_minimum;
  const double limit = 2 * (known ? sigma() : sigma_unknown);
  const double square = std::min(measured * measured, limit * limit);
  ++state_.noise_samples;
  const double gain = std::max(noise_gain, 1.0 / state_.noise_samples);
  state_.variance += gain * (square - state_.variance);
}

void SpeedEstimator::fit_fixed_part() {
  const Sums& sums = state_.sums;
  if (sums.count < evidence_minimum) return;
  const double determinant = sums.weight * sums.xx - sums.x * sums.x;
  if (determinant < variation_minimum * variation_minimum * sums.x * sums.x) return;
  const double slope = (sums.weight * sums.xt - sums.x * sums.t) / determinant;
  const double intercept = (sums.t - slope * sums.x) / sums.weight;
  const double scatter = std::max(0.0, sums.tt - slope * sums.xt - intercept * sums.t);
  const double variance = scatter / (sums.count - 2) * sums.xx / determinant;
  const double margin = evidence_sigmas * std::sqrt(variance);
  const double fixed = std::clamp(state_.fixed_s, intercept - margin, intercept + margin);
  // The line turns about the middle of the data: its height is the level filter's to decide.
  const double middle = sums.x / sums.weight;
  const double level = predict(middle);
  state_.fixed_s = std::clamp(fixed, 0.0, fixed_fraction_max * level);
  state_.sample_s = (level - state_.fixed_s) / middle;
}

template <class S, class Visitor>
void SpeedEstimator::for_each_field(S& state, Visitor visit) {
  visit(state.seen);
  visit(state.measurements);
  visit(state.changes);
  visit(state.last_iteration);
  visit(state.noise_samples);
  visit(state.suspicion);
  visit(state.fixed_s);
  visit(state.sample_s);
  visit(state.variance);
  visit(state.sums.count);
  visit(state.sums.weight);
  visit(state.sums.x);
  visit(state.sums.t);
  visit(state.sums.xx);
  visit(state.sums.xt);
  visit(state.sums.tt);
  for (auto& value : state.samples) visit(value);
  for (auto& value : state.seconds) visit(value);
}

std::string SpeedEstimator::save() const {
  std::ostringstream out;
  out << saved_format;
  for_each_field(state_, [&out](const auto& field) {
    if constexpr (std::is_floating_point_v<std::remove_cvref_t<decltype(field)>>) {
      out << ' ' << std::bit_cast<std::uint64_t>(field);
    } else {
      out << ' ' << field;
    }
  });
  return out.str();
}

Status SpeedEstimator::restore(const std::string& saved) {
  std::istringstream in(saved);
  std::string format;
  in >> format;
  State state;
  bool sound = format == saved_format;
  for_each_field(state, [&in, &sound](auto& field) {
    if constexpr (std::is_floating_point_v<std::remove_cvref_t<decltype(field)>>) {
      std::uint64_t bits = 0;
      in >> bits;
      field = std::bit_cast<double>(bits);
      sound = sound && std::isfinite(field) && field >= 0;
    } else {
      in >> field;
    }
  });
  sound = sound && in && (state.measurements == 0 || state.sample_s > 0);
  if (!sound) return Error{Errc::corruption, "restoring a speed estimate: not a saved state"};
  state_ = state;
  return ok();
}

}  // namespace slime::trainer
