#include "actors/training/lead_time.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace slime::actors {

using namespace std::chrono_literals;

namespace {

// An answer on busy processors is often late by as much.
constexpr Duration retry_min = 20ms;
constexpr Duration retry_max = 1s;
constexpr double slowest_bytes_per_s = 4 << 20;

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

runtime::Retry LeadTime::retry(std::size_t bytes) const {
  const Duration transfer = from_seconds(static_cast<double>(bytes) / slowest_bytes_per_s);
  const double first_s = std::min(seconds(), to_seconds(retry_max));
  const Duration first = observed_ ? std::max(from_seconds(first_s), retry_min) : retry_max;
  return {first + transfer, retry_max + transfer};
}

}  // namespace slime::actors
