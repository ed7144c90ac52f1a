#include "trainer/emulate/pace.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/base/random.hpp"

namespace slime::trainer {

namespace {

// "pace" in ASCII: keeps these random streams apart from all others of the same seed.
constexpr std::uint64_t noise_streams = std::uint64_t{0x70616365} << 32;
constexpr double tail_max = 100;
constexpr double longest_s = 1e9;  // A Duration and the sum of some stay in range.

}  // namespace

Result<Pace> Pace::make(const EmulationSpec& emulation, WorkerId worker) {
  if (Status checked = check(emulation); !checked) return checked.error();
  return Pace(emulation, worker);
}

Pace::Pace(const EmulationSpec& emulation, WorkerId worker)
    : profile_(emulation, worker),
      sample_s_(emulation.sample_us * 1e-6),
      fixed_s_(emulation.fixed_us * 1e-6),
      noise_(emulation.noise),
      tail_chance_(emulation.tail_chance),
      tail_exponent_(emulation.tail_exponent),
      seed_(emulation.seed),
      worker_(worker) {}

Duration Pace::duration(std::uint64_t iteration, std::uint32_t samples, Duration start,
                        bool opens) const {
  const double start_s = to_seconds(start);
  const double work = (samples * sample_s_ + (opens ? fixed_s_ : 0)) * noise_factor(iteration);
  const double seconds = std::min(profile_.finish_s(start_s, work) - start_s, longest_s);
  return std::chrono::round<Duration>(std::chrono::duration<double>(seconds));
}

double Pace::noise_factor(std::uint64_t iteration) const {
  if (noise_ == 0 && tail_chance_ == 0) return 1;
  Random random(seed_, noise_streams | static_cast<std::uint32_t>(worker_), iteration);
  const double factor = std::exp(noise_ * random.normal());
  if (tail_chance_ == 0 || random.uniform() >= tail_chance_) return factor;
  return factor * std::min(std::pow(1 - random.uniform(), -1 / tail_exponent_), tail_max);
}

}  // namespace slime::trainer
