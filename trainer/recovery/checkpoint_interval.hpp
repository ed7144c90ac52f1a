#pragma once

#include <cstdint>

namespace slime::trainer {

/// The mean time between failures: declared before any was seen, and corrected by what was. It is
/// (declared + observed) / (1 + failures), the reciprocal of the posterior mean of a Poisson rate
/// whose prior, Gamma(1, declared), weighs as much as one failure in the declared time.
/// @param declared_s  > 0.
/// @param failures    Seen in `observed_s` of training, >= 0.
double mean_between_failures_s(double declared_s, std::uint64_t failures, double observed_s);

/// The training time between two checkpoints of which each costs `cost_s` that loses the least to
/// checkpoints and to failures together, where these come at random every `between_failures_s` on
/// average. J. W. Young, "A first order approximation to the optimum checkpoint interval", CACM 17
/// (1974): sqrt(2 C M). J. T. Daly, "A higher order estimate of the optimum checkpoint interval for
/// restart dumps", FGCS 22 (2006), adds two terms of the series and takes off the cost:
///
///     sqrt(2 C M) (1 + x / 3 + x^2 / 9) - C, where x = sqrt(C / (2 M)), if C < 2 M; otherwise M.
///
/// Both are >= 0. How long a checkpoint takes to be written beside the training is not in it: it
/// adds the same to what every failure costs, whatever the interval.
double daly_interval_s(double cost_s, double between_failures_s);

/// What is known of a job when its next checkpoint is chosen. All seconds are >= 0.
struct CheckpointOutlook {
  double lost_s = 0;              ///< Training time that a checkpoint costs.
  double write_s = 0;             ///< From its beginning until it can be resumed from.
  double between_failures_s = 1;  ///< On average; > 0.
  double overhead_max = 1;        ///< Share of the time that checkpoints may cost; (0, 1].
};

/// The time from the end of one checkpoint's pause to the next checkpoint: Daly's, but at least so
/// long that checkpoints cost no more than their share, L (1 - share) / share for a loss of L each,
/// that one is written before the next begins, and a second. That these are bounds is our choice.
double checkpoint_interval_s(const CheckpointOutlook& outlook);

}  // namespace slime::trainer
