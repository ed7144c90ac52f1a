#include "trainer/emulate/speed_profile.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace slime::trainer {

SpeedProfile::SpeedProfile(const EmulationSpec& emulation, WorkerId worker) {
  std::vector<SpeedChange> changes;
  std::vector<std::pair<double, int>> stalls;  // When one begins, 1, or ends, -1.
  std::vector<double> bends{0};
  for (const SpeedChange& change : emulation.changes) {
    if (change.worker != worker) continue;
    changes.push_back(change);
    bends.push_back(change.at_s);
  }
  for (const Stall& stall : emulation.stalls) {
    if (stall.worker != worker) continue;
    stalls.emplace_back(stall.at_s, 1);
    stalls.emplace_back(stall.at_s + stall.for_s, -1);
    bends.push_back(stall.at_s);
    bends.push_back(stall.at_s + stall.for_s);
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& left, const auto& right) { return left.at_s < right.at_s; });
  std::sort(stalls.begin(), stalls.end());
  std::sort(bends.begin(), bends.end());
  bends.erase(std::unique(bends.begin(), bends.end()), bends.end());

  const auto& speeds = emulation.speeds;
  double speed = speeds.empty() ? 1.0 : speeds[static_cast<std::size_t>(worker) % speeds.size()];
  auto next_change = changes.begin();
  auto next_stall = stalls.begin();
  int stalled = 0;
  for (double at : bends) {
    for (; next_change != changes.end() && next_change->at_s <= at; ++next_change) {
      speed = next_change->speed;
    }
    for (; next_stall != stalls.end() && next_stall->first <= at; ++next_stall)
      stalled += next_stall->second;
    pieces_.push_back({at, stalled > 0 ? 0.0 : speed});
  }
}

double SpeedProfile::finish_s(double start_s, double work) const {
  if (work <= 0) return start_s;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const double until =
        i + 1 < pieces_.size() ? pieces_[i + 1].from_s : std::numeric_limits<double>::infinity();
    if (until <= start_s || pieces_[i].speed == 0) continue;
    const double from = std::max(start_s, pieces_[i].from_s);
    const double done = (until - from) * pieces_[i].speed;
    if (done >= work) return from + work / pieces_[i].speed;
    work -= done;
  }
  return std::numeric_limits<double>::infinity();
}

double SpeedProfile::work(double from_s, double to_s) const {
  double sum = 0;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const double from = std::max(from_s, pieces_[i].from_s);
    const double to = i + 1 < pieces_.size() ? std::min(to_s, pieces_[i + 1].from_s) : to_s;
    if (to > from) sum += (to - from) * pieces_[i].speed;
  }
  return sum;
}

}  // namespace slime::trainer
