#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace slime::trainer {

/// What is known of one live worker's iterations, in seconds. All zero: nothing yet.
struct IterationTiming {
  double mean_s = 0;   ///< Of its computing time per iteration, under its present share.
  double sigma_s = 0;  ///< Standard deviation of that time.
  /// From its last computation to its next lease when nothing else is waited for: push, commit,
  /// grant and pull. Measured whether or not computing hides it, because a measurement of the
  /// exposed part alone would vanish with the slack it calls for, and the slack with it.
  double exchange_s = 0;
};

/// When a worker may start its next iteration, and when its updates take effect.
///
/// A lease of iteration k may be granted iff k - frontier <= s, the frontier being the oldest
/// iteration with an unapplied sample and s the worker's slack. A mode is immutable: a pure
/// function of its arguments; any thread may call it, and it does not block.
class SyncMode {
 public:
  /// Slack of a worker that waits for nobody: more than any job needs, and a bound on what ledger
  /// and shards must remember of iterations that are not full yet.
  static constexpr std::uint32_t lead_max = 4096;

  virtual ~SyncMode() = default;

  /// Name used in job files; lower snake case, never changed once released.
  virtual std::string_view name() const = 0;

  /// True: updates are staged and take effect together, per iteration. False: each is applied on
  /// arrival.
  virtual bool committed() const = 0;

  /// True: an iteration's blocks belong to whoever asks for them first, a share's worth at a time.
  /// False: each worker has its part of every iteration.
  virtual bool on_demand() const { return false; }

  /// Iterations that leases of `workers[worker]` may run ahead of the frontier.
  /// Precondition: worker < workers.size().
  virtual std::uint32_t slack(std::size_t worker,
                              std::span<const IterationTiming> workers) const = 0;
};

}  // namespace slime::trainer
