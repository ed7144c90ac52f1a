#pragma once

#include <vector>

#include "trainer/emulate/emulation_spec.hpp"

namespace slime::trainer {

/// Speed of one emulated worker over time: piecewise constant, zero while it stalls, positive
/// after the last piece begins. Integrals are exact up to rounding.
class SpeedProfile {
 public:
  struct Piece {
    double from_s;
    double speed;  ///< Until the next piece.
  };

  /// Precondition: `check(emulation)` is ok. Of changes at one moment the last one listed counts.
  SpeedProfile(const EmulationSpec& emulation, WorkerId worker);

  /// When `work` (seconds at speed 1) begun at `start_s` is done. No work is done at once.
  double finish_s(double start_s, double work) const;
  /// Work done from `from_s` to `to_s`, in seconds at speed 1.
  double work(double from_s, double to_s) const;

  /// Ascending; the first begins at 0.
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  std::vector<Piece> pieces_;
};

}  // namespace slime::trainer
