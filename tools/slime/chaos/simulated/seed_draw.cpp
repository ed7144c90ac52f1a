#include "tools/slime/chaos/simulated/seed_draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>

#include "trainer/balance/policies.hpp"
#include "trainer/sync/modes.hpp"

namespace slime::tools {

namespace {

// Streams of a seed: what is drawn for one thing does not depend on what others draw.
enum class Stream : std::uint64_t { job = 1, strikes, one_strike };

Random drawing(std::uint64_t seed, Stream stream, std::uint64_t number = 0) {
  return Random(seed, static_cast<std::uint64_t>(stream), number);
}

template <class List>
std::string one_of(Random& random, const List& list) {
  return std::string(list[random.below(list.size())].name);
}

void draw_how_it_trains(Random& random, DrawnJob& job) {
  // Half of them in lock step with reproducible sums, of which most is promised.
  const bool lock_step = random.below(2) == 0;
  const std::string mode = one_of(random, trainer::sync_modes());
  job.mode = lock_step ? "bsp" : mode;
  job.policy = one_of(random, trainer::balance_policies());
  job.workers = 1 + static_cast<std::uint32_t>(random.below(4));
  job.shards = 1 + static_cast<std::uint32_t>(random.below(3));
  job.staleness_max = static_cast<std::uint32_t>(random.below(5));
  job.staleness_min = static_cast<std::uint32_t>(random.below(job.staleness_max + 1));
  job.reproducible = lock_step || random.below(2) == 0;
  job.reassigns = random.below(3) > 0;
  const bool saves = random.below(2) == 0;
  job.checkpoint_every = saves ? 1 + random.below(4) : 0;
}

void take_over(schema::JobSpec::Reader from, DrawnJob& job) {
  job.mode = from.getSync().getMode().cStr();
  job.policy = from.getBalance().getPolicy().cStr();
  job.workers = from.getWorkers();
  job.shards = from.getShards();
  job.staleness_max = from.getSync().getStalenessMax();
  job.staleness_min = from.getSync().getStalenessMin();
  job.reproducible = from.getReduction() == schema::Reduction::REPRODUCIBLE;
  job.reassigns = from.getBalance().getFastReassignment();
  const auto checkpoint = from.getCheckpoint();
  const bool saves = checkpoint.getEveryIterations() > 0 || checkpoint.getEverySeconds() > 0 ||
                     checkpoint.getInterval() == schema::CheckpointInterval::COMPUTED;
  if (!saves) job.checkpoint_every = 0;
  if (saves && job.checkpoint_every == 0) job.checkpoint_every = 2;
}

DrawnJob draw_job(std::uint64_t seed, const DrawRules& rules) {
  Random random = drawing(seed, Stream::job);
  DrawnJob job;
  draw_how_it_trains(random, job);
  job.epochs = 1 + static_cast<std::uint32_t>(random.below(2));
  job.seed = 1 + random.below(2);
  job.keep = 1 + static_cast<std::uint32_t>(random.below(3));
  if (rules.job) rules.job->read([&](auto from) { take_over(from, job); });
  constexpr double speeds[] = {1, 1, 0.5, 0.25};
  for (std::uint32_t i = 0; i < job.workers; ++i) job.speeds.push_back(speeds[random.below(4)]);
  return job;
}

/// How long the job takes by itself, about: a sample takes a machine of speed 1 a millisecond.
Duration length_of(const DrawnJob& job) {
  const double speed = std::accumulate(job.speeds.begin(), job.speeds.end(), 0.0);
  return from_seconds(1e-3 * DrawnJob::samples * job.epochs / speed);
}

}  // namespace

SeedDraw draw_seed(std::uint64_t seed, const DrawRules& rules) {
  assert(!rules.faults.empty());
  SeedDraw draw{.seed = seed, .job = draw_job(seed, rules), .strikes = {}};
  Random random = drawing(seed, Stream::strikes);
  const std::uint64_t count = 1 + random.below(6);
  for (std::uint64_t i = 0; i < count; ++i) {
    const SimulatedFault* fault = rules.faults[random.below(rules.faults.size())];
    // Some while the job starts, some just before it would end, some while it recovers.
    const Duration after = from_seconds(1.3 * random.uniform() * to_seconds(length_of(draw.job)));
    draw.strikes.push_back({fault, after, drawing(seed, Stream::one_strike, i)});
  }
  std::ranges::stable_sort(draw.strikes, {}, &PlannedStrike::after);
  return draw;
}

std::string to_string(const SeedDraw& draw) {
  const DrawnJob& job = draw.job;
  std::string text = fmt::format("{} with {}, {} workers, {} shards, {} epochs", job.mode,
                                 job.policy, job.workers, job.shards, job.epochs);
  if (job.checkpoint_every > 0)
    text += fmt::format(", a checkpoint every {} iterations", job.checkpoint_every);
  for (const PlannedStrike& strike : draw.strikes)
    text += fmt::format("{}{} at {:.0f} ms", &strike == draw.strikes.data() ? "; " : ", ",
                        strike.fault->name, 1e3 * to_seconds(strike.after));
  return text;
}

runtime::Message<schema::JobSpec> spec_of(const DrawnJob& drawn, const std::string& checkpoints) {
  return runtime::Message<schema::JobSpec>::make([&](schema::JobSpec::Builder job) {
    job.setName("small");
    job.setWorkers(drawn.workers);
    job.setShards(drawn.shards);
    job.setEpochs(drawn.epochs);
    job.setBatch(DrawnJob::batch);
    job.setBlock(DrawnJob::block);
    job.setSeed(drawn.seed);
    job.setDevice(schema::Device::CPU);
    if (drawn.reproducible) job.setReduction(schema::Reduction::REPRODUCIBLE);
    job.initSync().setMode(drawn.mode);
    job.getSync().setStalenessMax(drawn.staleness_max);
    job.getSync().setStalenessMin(drawn.staleness_min);
    job.initBalance().setPolicy(drawn.policy);
    job.getBalance().setFastReassignment(drawn.reassigns);
    // Two blocks of parameters, so that two shards hold some and a third one none.
    auto layers = job.initModel().initLayers(2);
    layers.set(0, "dense 3000 relu");
    layers.set(1, "dense 3");
    job.initOptimizer().setMomentum(0.5);
    job.getOptimizer().setLearningRate(0.1);
    if (drawn.checkpoint_every > 0) {
      auto checkpoint = job.initCheckpoint();
      checkpoint.setDirectory(checkpoints);
      checkpoint.setEveryIterations(drawn.checkpoint_every);
      checkpoint.setKeep(drawn.keep);
    }
    auto emulate = job.initEmulate();
    emulate.setSampleUs(1000);
    auto speeds = emulate.initSpeeds(static_cast<unsigned>(drawn.speeds.size()));
    for (unsigned i = 0; i < speeds.size(); ++i) speeds.set(i, drawn.speeds[i]);
  });
}

}  // namespace slime::tools
