#include "tools/slime/simulation/scenario_job.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "actors/training/declared_emulation.hpp"

namespace slime::tools {

namespace {

constexpr unsigned steps_per_period = 24;
constexpr std::size_t steps_max = 5000;
// Of the time that a run should take; until then its speeds wave.
constexpr double horizon = 10;

double base_speed(const trainer::EmulationSpec& emulation, std::uint32_t worker) {
  const auto& speeds = emulation.speeds;
  return speeds.empty() ? 1 : speeds[worker % speeds.size()];
}

/// The wave's factor on the speed `periods` after its start.
double factor(schema::Wave::Reader wave, double periods) {
  const double low = wave.getLow();
  const double within = periods - std::floor(periods);
  switch (wave.getShape()) {
    case schema::Shape::SQUARE:
      return within < 0.5 ? 1 : low;
    case schema::Shape::DIURNAL:
      return low + (1 - low) * (1 + std::cos(2 * std::numbers::pi * within)) / 2;
    case schema::Shape::DRIFT:
      return periods >= 1 ? low : 1 - (1 - low) * periods;
  }
  return 1;
}

Status add_wave(schema::Wave::Reader wave, double until_s, trainer::EmulationSpec& emulation) {
  const unsigned steps = wave.getShape() == schema::Shape::SQUARE ? 2 : steps_per_period;
  const double step_s = wave.getPeriodSeconds() / steps;
  // A drift is over after one period.
  if (wave.getShape() == schema::Shape::DRIFT)
    until_s = std::min(until_s, wave.getPeriodSeconds() * (1 - wave.getPhase()) + step_s);
  if (until_s / step_s > steps_max)
    return Error{Errc::invalid_argument, "a period of " + std::to_string(wave.getPeriodSeconds()) +
                                             " s is too short for a run that may last " +
                                             std::to_string(until_s) + " s"};
  const double speed = base_speed(emulation, wave.getWorker());
  // Steps begin where the shape's own do, wherever in its period the run starts.
  const double start = std::floor(wave.getPhase() * steps);
  for (double step = start; (step / steps - wave.getPhase()) * wave.getPeriodSeconds() < until_s;
       ++step) {
    const double at_s = (step / steps - wave.getPhase()) * wave.getPeriodSeconds();
    emulation.changes.push_back({WorkerId{wave.getWorker()}, std::max(0.0, at_s),
                                 speed * factor(wave, (step + 0.5) / steps)});
  }
  return ok();
}

void write_emulation(schema::Emulate::Builder root, const trainer::EmulationSpec& emulation) {
  root.setSampleUs(emulation.sample_us);
  root.setFixedUs(emulation.fixed_us);
  root.setNoise(emulation.noise);
  root.setTailChance(emulation.tail_chance);
  root.setTailExponent(emulation.tail_exponent);
  root.setSpeeds(kj::arrayPtr(emulation.speeds.data(), emulation.speeds.size()));
  auto stalls = root.initStalls(static_cast<unsigned>(emulation.stalls.size()));
  for (unsigned i = 0; i < stalls.size(); ++i) {
    stalls[i].setWorker(static_cast<std::uint32_t>(emulation.stalls[i].worker));
    stalls[i].setAtSeconds(emulation.stalls[i].at_s);
    stalls[i].setForSeconds(emulation.stalls[i].for_s);
  }
  auto changes = root.initChanges(static_cast<unsigned>(emulation.changes.size()));
  for (unsigned i = 0; i < changes.size(); ++i) {
    changes[i].setWorker(static_cast<std::uint32_t>(emulation.changes[i].worker));
    changes[i].setAtSeconds(emulation.changes[i].at_s);
    changes[i].setSpeed(emulation.changes[i].speed);
  }
}

}  // namespace

std::uint64_t samples_of(schema::Scenario::Reader scenario) {
  return std::uint64_t{scenario.getBatch()} * scenario.getIterations();
}

Result<trainer::EmulationSpec> emulation_of_scenario(schema::Scenario::Reader scenario) {
  const auto compute = scenario.getCompute();
  trainer::EmulationSpec emulation = actors::declared_emulation(compute, scenario.getSeed());
  double speed = 0;
  for (std::uint32_t worker = 0; worker < scenario.getWorkers(); ++worker)
    speed += base_speed(emulation, worker);
  const double until_s =
      horizon * static_cast<double>(samples_of(scenario)) * emulation.sample_us * 1e-6 / speed;
  for (const auto wave : compute.getWaves()) {
    if (Status added = add_wave(wave, until_s, emulation); !added) return added.error();
    if (emulation.changes.size() * scenario.getWorkers() > told_max)
      return Error{Errc::invalid_argument, "their steps times " +
                                               std::to_string(scenario.getWorkers()) +
                                               " workers are too many; at most " +
                                               std::to_string(told_max) + " can be simulated"};
  }
  return emulation;
}

std::vector<trainer::Lifetime> lifetimes_of(schema::Scenario::Reader scenario) {
  std::vector<trainer::Lifetime> lives;
  for (std::uint32_t worker = 0; worker < scenario.getWorkers(); ++worker)
    lives.push_back({.worker = WorkerId{worker}});
  for (const auto join : scenario.getJoins()) lives[join.getWorker()].join_s = join.getAtSeconds();
  // In order of time, because each death ends the life that the one before began.
  std::vector<schema::Death::Reader> deaths;
  for (const auto death : scenario.getDeaths()) deaths.push_back(death);
  std::ranges::stable_sort(deaths, {}, [](auto death) { return death.getAtSeconds(); });
  for (const auto death : deaths)
    for (std::size_t i = lives.size(); i-- > 0;) {
      trainer::Lifetime& life = lives[i];
      const double at_s = death.getAtSeconds();
      if (life.worker != WorkerId{death.getWorker()} || at_s < life.join_s || at_s >= life.death_s)
        continue;
      life.death_s = at_s;
      if (death.getForSeconds() > 0)
        lives.push_back({.worker = life.worker, .join_s = at_s + death.getForSeconds()});
      break;
    }
  return lives;
}

runtime::Message<schema::JobSpec> job_of(schema::Scenario::Reader scenario, schema::Run::Reader run,
                                         const trainer::EmulationSpec& emulation) {
  return runtime::Message<schema::JobSpec>::make([&](schema::JobSpec::Builder job) {
    job.setName("simulated");
    job.setWorkers(scenario.getWorkers());
    job.setShards(scenario.getShards());
    job.setReplicas(scenario.getReplicas());
    job.setBatch(scenario.getBatch());
    job.setBlock(scenario.getBlock());
    job.setSeed(scenario.getSeed());
    job.setDevice(schema::Device::CPU);
    auto sync = job.initSync();
    sync.setMode(run.getMode());
    sync.setStalenessMax(run.getStalenessMax());
    sync.setStalenessMin(run.getStalenessMin());
    job.initBalance().setPolicy(run.getPolicy());
    job.getBalance().setFastReassignment(run.getFastReassignment());
    job.initModel().initLayers(1).set(0, "dense 2");
    job.initOptimizer().setLearningRate(0.01);
    job.initData();
    job.initCheckpoint();
    // Only at the end.
    job.initEvaluate().setEveryIterations(std::numeric_limits<std::uint64_t>::max());
    write_emulation(job.initEmulate(), emulation);
  });
}

}  // namespace slime::tools
