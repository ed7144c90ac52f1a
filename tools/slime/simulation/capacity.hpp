#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trainer/emulate/ideal_makespan.hpp"
#include "trainer/emulate/speed_profile.hpp"

namespace slime::tools {

/// What the machines of a run could compute over time, and what that says of how it went.
/// Immutable.
class Capacity {
 public:
  /// Preconditions: `check(emulation)` is ok.
  Capacity(const trainer::EmulationSpec& emulation, std::span<const trainer::Lifetime> lives);

  /// Samples that all of them together could compute in that time.
  double samples(double from_s, double to_s) const;
  /// Seconds in which they were there, summed over workers.
  double presence_s(double until_s) const;

  /// Iterations that ended after `at_s` until ten of them in a row took at most `settled` times as
  /// long as the machines needed to compute them: how long a policy takes to follow a change. The
  /// iteration under way at `at_s` counts. Nothing: it never did, or ended before. The definition
  /// is ours.
  /// @param finished_s  When each iteration ended.
  std::optional<std::uint32_t> reaction(std::span<const double> finished_s, std::uint32_t batch,
                                        double at_s, double settled) const;

 private:
  struct Machine {
    trainer::Lifetime life;
    trainer::SpeedProfile profile;
  };

  double sample_s_;
  std::vector<Machine> machines_;
};

}  // namespace slime::tools
