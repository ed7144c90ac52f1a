#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "runtime/base/error.hpp"
#include "trainer/balance/measurement.hpp"

namespace slime::trainer {

/// How long a worker takes: `fixed_s + sample_s * x` seconds for x samples of an iteration.
struct SpeedEstimate {
  double fixed_s = 0;   ///< Never negative.
  double sample_s = 0;  ///< Positive once there are measurements.
  /// Standard deviation of the logarithm of one time, at least 0.005; 0.2 or more until there are
  /// enough measurements to tell.
  double noise = 0;
  std::uint32_t measurements = 0;  ///< Behind the estimate; 0: nothing is known, ignore the rest.

  double seconds(double samples) const { return fixed_s + sample_s * samples; }
  /// How many measurements the level of the estimate averages: at most the filter's window.
  double window() const;
};

/// Filters one worker's measurements into a `SpeedEstimate`.
///
/// Noise is taken as a factor on the time, so residuals are logarithms of measured over estimated.
/// - *Level:* follows the residuals exponentially, with gain 0.1; as a plain mean at first. That
///   is slow, and can be, because changes do not have to wait for it.
/// - *Spike:* a residual beyond three standard deviations counts as the median of the last five.
/// - *Change point:* the median of the last three is beyond max(25 %, 4 median absolute deviations)
///   at two measurements running, on the same side; the second keeps noise from tripping it. The
///   model is scaled at once and the averages start anew.
/// - *Fixed part:* from recursive least squares with forgetting, in information form. It moves only
///   once shares have varied, and only as far as the evidence forces it, because with a constant
///   share (or one that follows a slow drift) the two parts cannot be told apart. A share that is
///   not as the two before it teaches nothing here: fast reassignment may have cut it short.
/// The constants are ours; the published balancer gives none.
///
/// Deterministic; not thread-safe; no call blocks.
class SpeedEstimator {
 public:
  /// The first measurement of a worker shows cold caches and fresh memory, not its speed.
  static constexpr std::uint32_t warm_up = 1;
  /// Iterations without a measurement after which a worker's speed counts as unknown. It then gets
  /// a small share again, so one that was slow for a while is not left out for ever.
  static constexpr std::uint64_t expiry = 50;

  /// Takes in what a worker measured; one without samples teaches nothing and is ignored.
  /// Errors: invalid_argument (a compute time that is not positive and finite); state unchanged.
  Status observe(const Measurement& measurement);

  /// What is known at `iteration`.
  SpeedEstimate estimate(std::uint64_t iteration) const;
  /// Changes of speed seen so far; for reports.
  std::uint32_t changes() const { return state_.changes; }

  /// The whole state as text, and back. Errors: corruption; the estimator is then unchanged.
  std::string save() const;
  Status restore(const std::string& saved);

 private:
  static constexpr std::size_t ring_size = 5;

  /// Weighted sums over (samples x, seconds t), each measurement weighing one over its expected
  /// time squared, so that equal relative errors count alike.
  struct Sums {
    double count = 0, weight = 0, x = 0, t = 0, xx = 0, xt = 0, tt = 0;
  };
  struct State {
    std::uint32_t seen = 0;          ///< Measurements ever, warm-up included.
    std::uint32_t measurements = 0;  ///< Since the last restart or change point.
    std::uint32_t changes = 0;
    std::uint64_t last_iteration = 0;
    std::uint32_t noise_samples = 0;
    std::int32_t suspicion = 0;  ///< Side on which the last measurement hinted at a change.
    double fixed_s = 0;
    double sample_s = 0;
    double variance = 0;  ///< Of residuals, over `noise_samples` of them at first.
    Sums sums;
    std::array<double, ring_size> samples{};  ///< Newest first, with `seconds`.
    std::array<double, ring_size> seconds{};
  };

  /// Calls `visit` with every field of a state, in the order of the saved text.
  template <class S, class Visitor>
  static void for_each_field(S& state, Visitor visit);

  double predict(double samples) const { return state_.fixed_s + state_.sample_s * samples; }
  double residual(std::size_t age) const;
  /// Median residual of the newest `count` measurements that are in the ring.
  double median_residual(std::size_t count) const;
  /// Standard deviation of residuals, as far as anything may be concluded from it.
  double sigma() const;
  bool change_confirmed();
  void remember(double samples, double seconds);
  void restart(double scale, std::uint32_t measurements);
  void follow(double samples, double seconds);
  void learn_noise(double residual);
  void add_to_sums(double samples, double seconds, double expected);
  void fit_fixed_part();

  State state_;
};

}  // namespace slime::trainer
