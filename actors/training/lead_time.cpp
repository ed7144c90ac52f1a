#include "actors/training/lead_time.hpp"

#include <cmath>
#include <utility>

namespace slime::actors {

namespace {

// Weights of a new time and of its deviation: RFC 6298, (2.3).
constexpr double alpha = 1.0 / 8;
constexpr double beta = 1.0 / 4;

}  // namespace

void LeadTime::observe(double answer_s) {
  if (!std::exchange(observed_, true)) {
    mean_s_ = answer_s;
    deviation_s_ = answer_s / 2;
    return;
  }
  deviation_s_ += beta * (std::abs(mean_s_ - answer_s) - deviation_s_);
  mean_s_ += alpha * (answer_s - mean_s_);
}

}  // namespace slime::actors
