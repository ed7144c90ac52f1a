#pragma once

#include <cstdint>

#include "trainer/emulate/emulation_spec.hpp"

namespace slime::actors {

/// What a job or a scenario declares of its workers' speeds; their schemas name it alike.
template <class Reader>
trainer::EmulationSpec declared_emulation(Reader spec, std::uint64_t seed) {
  trainer::EmulationSpec emulation;
  emulation.sample_us = spec.getSampleUs();
  emulation.fixed_us = spec.getFixedUs();
  emulation.noise = spec.getNoise();
  emulation.tail_chance = spec.getTailChance();
  emulation.tail_exponent = spec.getTailExponent();
  emulation.seed = seed;
  for (const double speed : spec.getSpeeds()) emulation.speeds.push_back(speed);
  for (const auto stall : spec.getStalls())
    emulation.stalls.push_back(
        {WorkerId{stall.getWorker()}, stall.getAtSeconds(), stall.getForSeconds()});
  for (const auto change : spec.getChanges())
    emulation.changes.push_back(
        {WorkerId{change.getWorker()}, change.getAtSeconds(), change.getSpeed()});
  return emulation;
}

}  // namespace slime::actors
