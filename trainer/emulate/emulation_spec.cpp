#include "trainer/emulate/emulation_spec.hpp"

#include <cmath>
#include <string>

namespace slime::trainer {

namespace {

bool positive(double value) {
  return std::isfinite(value) && value > 0;
}
bool not_negative(double value) {
  return std::isfinite(value) && value >= 0;
}

Error wrong(const std::string& what, double value, const std::string& must) {
  return Error{Errc::invalid_argument, "emulating unequal speeds: " + what + " is " +
                                           std::to_string(value) + ", must be finite and " + must};
}

std::string of_worker(WorkerId worker) {
  return " of worker " + std::to_string(static_cast<std::uint32_t>(worker));
}

}  // namespace

Status check(const EmulationSpec& emulation) {
  if (!positive(emulation.sample_us)) return wrong("sample_us", emulation.sample_us, "positive");
  if (!not_negative(emulation.noise)) return wrong("noise", emulation.noise, "not negative");
  if (!not_negative(emulation.fixed_us)) {
    return wrong("fixed_us", emulation.fixed_us, "not negative");
  }
  if (!not_negative(emulation.tail_chance) || emulation.tail_chance > 1) {
    return wrong("tail_chance", emulation.tail_chance, "from 0 to 1");
  }
  if (!positive(emulation.tail_exponent)) {
    return wrong("tail_exponent", emulation.tail_exponent, "positive");
  }
  for (double speed : emulation.speeds) {
    if (!positive(speed)) return wrong("a speed", speed, "positive");
  }
  for (const Stall& stall : emulation.stalls) {
    const std::string whose = of_worker(stall.worker);
    if (!not_negative(stall.at_s)) return wrong("the stall" + whose, stall.at_s, "not negative");
    if (!not_negative(stall.for_s)) {
      return wrong("the length of the stall" + whose, stall.for_s, "not negative");
    }
  }
  for (const SpeedChange& change : emulation.changes) {
    const std::string whose = "the speed change" + of_worker(change.worker);
    if (!not_negative(change.at_s)) return wrong(whose, change.at_s, "not negative");
    if (!positive(change.speed)) return wrong("the speed after " + whose, change.speed, "positive");
  }
  return ok();
}

}  // namespace slime::trainer
