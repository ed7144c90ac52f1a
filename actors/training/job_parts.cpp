#include "actors/training/job_parts.hpp"

#include <algorithm>

#include "actors/training/declared_emulation.hpp"
#include "trainer/balance/policies.hpp"
#include "trainer/optim/optimizers.hpp"
#include "trainer/sync/modes.hpp"

namespace slime::actors {

namespace {

// The coordinator remembers each block of the iterations that are under way, in some 60 bytes.
constexpr std::uint32_t open_blocks_max = 1u << 22;

template <class List>
std::vector<std::string> texts(const List& list) {
  std::vector<std::string> all;
  for (const auto text : list) all.emplace_back(text.cStr());
  return all;
}

std::string_view schedule_name(schema::Schedule schedule) {
  switch (schedule) {
    case schema::Schedule::CONSTANT:
      return "constant";
    case schema::Schedule::STEP:
      return "step";
    case schema::Schedule::COSINE:
      return "cosine";
  }
  return "unknown";
}

std::string_view device_name(schema::Device device) {
  switch (device) {
    case schema::Device::AUTO:
      return "auto";
    case schema::Device::CPU:
      return "cpu";
    case schema::Device::CUDA:
      return "cuda";
  }
  return "unknown";
}

}  // namespace

trainer::WorkPlan work_plan(schema::JobSpec::Reader job, std::uint64_t samples) {
  return {.samples = samples,
          .batch = job.getBatch(),
          .block = job.getBlock(),
          .epochs = job.getEpochs()};
}

std::vector<std::string> layer_texts(schema::JobSpec::Reader job) {
  return texts(job.getModel().getLayers());
}

Result<std::unique_ptr<trainer::Optimizer>> optimizer_of(schema::JobSpec::Reader job) {
  const auto settings = job.getOptimizer();
  return trainer::make_optimizer(
      settings.getKind().cStr(),
      {.momentum = settings.getMomentum(), .weight_decay = settings.getWeightDecay()});
}

Result<trainer::Schedule> schedule_of(schema::JobSpec::Reader job, std::uint64_t samples) {
  const auto settings = job.getOptimizer();
  return trainer::Schedule::make(schedule_name(settings.getSchedule()),
                                 {.learning_rate = settings.getLearningRate(),
                                  .step_epochs = settings.getStepEpochs(),
                                  .step_factor = settings.getStepFactor(),
                                  .epochs = static_cast<double>(job.getEpochs()),
                                  .training_samples = samples});
}

Result<std::unique_ptr<trainer::SyncMode>> mode_of(schema::JobSpec::Reader job) {
  const auto blocks = static_cast<std::uint32_t>(work_plan(job, 1).blocks_in_full());
  return trainer::make_sync_mode(
      job.getSync().getMode().cStr(),
      {.staleness_max = job.getSync().getStalenessMax(),
       .staleness_min = job.getSync().getStalenessMin(),
       .lead_max = std::max(1u, open_blocks_max / std::max(1u, blocks))});
}

Result<std::unique_ptr<trainer::BalancePolicy>> policy_of(schema::JobSpec::Reader job) {
  const auto settings = job.getBalance();
  trainer::BalanceOptions options{
      .fixed_shares = {},
      .seed = job.getSeed(),
      .adapt_after_tuning = settings.getAfterTuning() == schema::AfterTuning::ADAPT_FR};
  for (const double share : settings.getFixedShares()) options.fixed_shares.push_back(share);
  return trainer::make_balance_policy(settings.getPolicy().cStr(), options);
}

trainer::BlockGradients::Settings gradient_settings(schema::JobSpec::Reader job) {
  return {.format = job.getData().getFormat().cStr(),
          .train_files = texts(job.getData().getTrain()),
          .test_files = texts(job.getData().getTest()),
          .layers = layer_texts(job),
          .device = std::string(device_name(job.getDevice())),
          .batch = job.getBatch(),
          .block = job.getBlock(),
          .seed = job.getSeed()};
}

trainer::EmulationSpec emulation_of(schema::JobSpec::Reader job) {
  return declared_emulation(job.getEmulate(), job.getSeed());
}

}  // namespace slime::actors
