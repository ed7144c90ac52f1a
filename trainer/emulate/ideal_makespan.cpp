#include "trainer/emulate/ideal_makespan.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "trainer/emulate/speed_profile.hpp"

namespace slime::trainer {

Result<double> ideal_makespan_s(const EmulationSpec& emulation, std::span<const Lifetime> workers,
                                std::uint64_t samples) {
  if (Status checked = check(emulation); !checked) return checked.error();
  struct Bend {
    double at_s;
    double change;  ///< Of the speed of all workers together.
  };
  std::vector<Bend> bends;
  for (const Lifetime& life : workers) {
    double speed = 0;
    const auto bend = [&](double at, double now) {
      bends.push_back({at, now - speed});
      speed = now;
    };
    const SpeedProfile profile(emulation, life.worker);
    for (const SpeedProfile::Piece& piece : profile.pieces()) {
      if (piece.from_s < life.death_s) bend(std::max(piece.from_s, life.join_s), piece.speed);
    }
    if (std::isfinite(life.death_s)) bend(std::max(life.death_s, life.join_s), 0);
  }
  std::stable_sort(bends.begin(), bends.end(),
                   [](const Bend& left, const Bend& right) { return left.at_s < right.at_s; });

  double left = static_cast<double>(samples) * emulation.sample_us * 1e-6;
  double now = 0;
  double speed = 0;
  for (const Bend& bend : bends) {
    const double done = speed * (bend.at_s - now);
    if (done >= left) break;
    left -= done;
    now = bend.at_s;
    speed += bend.change;
  }
  if (left <= 0) return now;
  // Sums of speeds that should cancel may leave a rounding error behind.
  if (speed <= 1e-9) {
    return Error{Errc::invalid_argument,
                 "computing the ideal makespan of " + std::to_string(samples) + " samples: after " +
                     std::to_string(now) + " s no worker is alive and work is left"};
  }
  return now + left / speed;
}

}  // namespace slime::trainer
