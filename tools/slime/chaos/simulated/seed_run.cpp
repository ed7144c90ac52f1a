#include "tools/slime/chaos/simulated/seed_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "actors/training/types.hpp"
#include "runtime/wire/address.hpp"
#include "storage/committed_checkpoints.hpp"
#include "tools/slime/chaos/invariants.hpp"
#include "tools/slime/chaos/simulated/job_follower.hpp"
#include "tools/slime/chaos/simulated/update_watch.hpp"
#include "tools/slime/simulation/lead_bound.hpp"
#include "tools/slime/simulation/shared_gradients.hpp"

namespace slime::tools {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using runtime::Message;

namespace {

// Of a job that takes half a second. Whoever is still at it has come to a standstill.
constexpr Duration patience = 300s;
constexpr Duration look_interval = 10ms;
// A standstill needs no close look.
constexpr Duration patient_look_interval = 200ms;
constexpr Duration close_look = 10s;
constexpr Duration submit_within = 60s;
constexpr std::size_t lines_told = 40;

// What a simulated seed is judged by of what real runs are.
constexpr std::array judged_by{
    std::string_view("job_finished"), std::string_view("samples_applied_once"),
    std::string_view("no_update_lost"), std::string_view("checkpoints_load"),
    std::string_view("parameters_as_undisturbed")};

/// Samples of 2 x 2 values in three classes, no two alike in what they teach.
trainer::Dataset made_up(std::uint32_t samples, std::uint64_t seed) {
  Random random(seed, 1000);
  trainer::Dataset::Contents contents{.shape = {2, 2}, .values = {}, .labels = {}};
  for (std::uint32_t i = 0; i < samples; ++i) {
    const auto label = static_cast<std::uint8_t>(i < 3 ? i : random.below(3));
    contents.labels.push_back(label);
    for (unsigned at = 0; at < 4; ++at)
      contents.values.push_back(
          static_cast<std::uint8_t>((at == label ? 150 : 20) + random.below(80)));
  }
  return trainer::Dataset(std::move(contents));
}

trainer::TrainingData made_up_data() {
  trainer::TrainingData data{made_up(DrawnJob::samples, 1), made_up(20, 2)};
  const auto scale = data.train.measure();
  data.train.standardise(scale);
  data.test.standardise(scale);
  return data;
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 32);
}

/// One run of one seed.
class Rehearsal {
 public:
  Rehearsal(const SeedDraw& draw, const PlantedBug* bug, fs::path checkpoints)
      : draw_(draw),
        bug_(bug),
        checkpoints_(std::move(checkpoints)),
        spec_(spec_of(draw.job, checkpoints_.string())),
        committed_(spec_.read([](auto job) { return actors::mode_of(job).value()->committed(); })),
        gradients_(made_up_data()),
        outcome_(RunTrace(draw.job.plan(), committed_)),
        updates_(draw.job.plan(), committed_,
                 spec_.read([](auto job) { return lead_bound(job); })) {
    told_.seed = draw.seed;
    told_.drawn = to_string(draw);
  }

  Result<SeedOutcome> go(const std::optional<std::string>& expected_sha256) {
    begin(false);
    while (!over()) step();
    finish(expected_sha256);
    return std::move(told_);
  }
  /// Once it is over. Empty: it did not finish.
  std::string parameters_sha256() const {
    const auto& end = outcome_.trace.end();
    return end && end->finished ? end->parameters_sha256 : std::string();
  }

 private:
  Instant now() { return stage_->simulation().now(); }
  /// Virtual time since the job was first submitted, of all clusters that it had.
  Duration elapsed() { return before_ + (now() - submitted_); }

  runtime::Catalogue catalogue() {
    auto types = actors::training_types({.make_source = [this] { return gradients_.source(); }});
    return bug_ ? bug_->under(std::move(types)) : types;
  }

  void begin(bool resume) {
    ++outcome_.commands;
    directory_.emplace();
    stage_.emplace(draw_.seed * 1000 + outcome_.commands, catalogue(), draw_.job.workers,
                   draw_.job.shards, disk_);
    stage_->simulation().set_log_limit(lines_told);
    stage_->simulation().observe([this](const runtime::Delivery& delivery) {
      take_down(delivery);
      updates_.see(delivery);
      return runtime::Verdict::deliver;
    });
    follower_.emplace(*stage_, "small", outcome_.trace, *directory_);
    follower_->begin(resume);
    submit(resume);
    submitted_ = now();
  }

  void submit(bool resume) {
    const auto coordinator =
        Message<schema::CoordinatorSpec>::make([&](schema::CoordinatorSpec::Builder root) {
          spec_.read([&](schema::JobSpec::Reader job) { root.setJob(job); });
          root.setResume(resume);
          root.setRun(draw_.seed * 1000 + outcome_.commands);
          runtime::write_address(root.initMembership(), stage_->cluster().membership().address);
          runtime::write_address(root.initDirectory(), stage_->cluster().directory().address);
        });
    const auto words = coordinator.words().as_bytes();
    const auto order = Message<schema::Supervise>::make([&](schema::Supervise::Builder root) {
      root.setName("job/small/coordinator");
      root.setRole("head");
      root.getRule().setMaxRestarts(1000);
      auto spawn = root.initSpawn();
      spawn.setType("coordinator");
      spawn.setSpecType(runtime::type_id<schema::CoordinatorSpec>());
      spawn.setSpec({reinterpret_cast<const kj::byte*>(words.data()), words.size()});
    });
    (void)stage_->simulation().call(stage_->cluster().supervisor(), order, submit_within);
  }

  void take_down(const runtime::Delivery& delivery) {
    ++told_.deliveries;
    hash_ = mix(hash_, static_cast<std::uint64_t>(delivery.kind));
    hash_ = mix(hash_, delivery.from.node.low ^ delivery.from.number);
    hash_ = mix(hash_, delivery.to.node.low ^ delivery.to.number);
    hash_ = mix(hash_, delivery.message.type);
    hash_ = mix(hash_, static_cast<std::uint64_t>(delivery.now.time_since_epoch().count()));
  }

  bool over() {
    return follower_->end() || elapsed() >= patience || updates_.violation() ||
           directory_->violation() || follower_->lost_update();
  }

  void step() {
    Instant until = now() + (elapsed() < close_look ? look_interval : patient_look_interval);
    if (struck_ < draw_.strikes.size())
      until = std::min(until, now() + std::max(draw_.strikes[struck_].after - elapsed(), 0ns));
    stage_->run_until(until);
    while (struck_ < draw_.strikes.size() && draw_.strikes[struck_].after <= elapsed() &&
           !stage_->ended())
      strike(draw_.strikes[struck_++]);
    if (stage_->ended()) return begin_again();
    follower_->look();
  }

  void strike(const PlannedStrike& planned) {
    Random random = planned.random;
    if (planned.fault->strike(*stage_, random)) ++told_.strikes[std::string(planned.fault->name)];
  }

  void begin_again() {
    before_ = elapsed();
    end_all();
    begin(has_checkpoint());
  }

  void end_all() {
    follower_.reset();
    stage_.reset();
    disk_ = {};
  }

  bool has_checkpoint() const {
    if (draw_.job.checkpoint_every == 0) return false;
    storage::OpenedStores stores(checkpoints_);
    const auto found = storage::committed_checkpoints(stores);
    return found && !found->all.empty();
  }

  void finish(const std::optional<std::string>& expected_sha256) {
    told_.seconds = to_seconds(elapsed());
    const auto& end = follower_->end();
    outcome_.ended_well = end == schema::JobState::FINISHED;
    outcome_.end = end ? "it ended" : fmt::format("no end after {:.0f} s", told_.seconds);
    if (!outcome_.ended_well) outcome_.end += "; its last words: " + follower_->last_words();
    const auto lost = follower_->lost_update();
    for (const auto& line : stage_->simulation().log_lines())
      told_.log.push_back(fmt::format(
          "{:.3f} s {} on {}: {}", to_seconds(line.time - runtime::simulation_start),
          to_string(line.actor), stage_->simulation().name(line.actor.node), line.text));
    end_all();
    outcome_.plan = draw_.job.plan();
    outcome_.expected_sha256 = expected_sha256;
    if (draw_.job.checkpoint_every > 0) outcome_.checkpoints = verify_all(checkpoints_);
    if (lost) violated("no_acknowledged_update_lost", *lost);
    if (updates_.violation()) violated("updates_applied_once", *updates_.violation());
    if (directory_->violation()) violated("directory_linearizable", *directory_->violation());
    // Whatever was cut short for a violation is not judged by its end.
    if (told_.ok()) judge();
    if (told_.ok()) told_.log.clear();
    told_.hash = fmt::format("{:016x}", hash_);
  }

  void judge() {
    for (const Invariant& invariant : invariants()) {
      if (std::ranges::find(judged_by, invariant.name) == judged_by.end()) continue;
      const Verdict verdict = invariant.check(outcome_);
      if (verdict.kind == Verdict::Kind::violated)
        violated(std::string(invariant.name), verdict.evidence);
    }
  }

  void violated(std::string invariant, std::string evidence) {
    told_.violations.push_back({std::move(invariant), std::move(evidence)});
  }

  const SeedDraw& draw_;
  const PlantedBug* bug_;
  fs::path checkpoints_;
  Message<schema::JobSpec> spec_;
  bool committed_;
  SharedGradients gradients_;
  FailingDisk disk_;
  ChaosOutcome outcome_;
  UpdateWatch updates_;
  SeedOutcome told_;
  std::uint64_t hash_ = 0;
  std::optional<DirectoryHistory> directory_;
  std::optional<Stage> stage_;
  std::optional<JobFollower> follower_;
  Instant submitted_{};
  Duration before_{};
  std::size_t struck_ = 0;
};

}  // namespace

Result<SeedOutcome> SeedRun::run(std::uint64_t seed) {
  const SeedDraw draw = draw_seed(seed, rules_);
  const auto sha256 = undisturbed(draw.job);
  if (!sha256) return sha256.error();
  const fs::path checkpoints = folder_.path() / "checkpoints";
  auto outcome = Rehearsal(draw, bug_, checkpoints).go(*sha256);
  std::error_code failure;
  fs::remove_all(checkpoints, failure);
  if (failure)
    return Error{Errc::io_error,
                 "removing the folder " + checkpoints.string() + ": " + failure.message()};
  return outcome;
}

Result<std::optional<std::string>> SeedRun::undisturbed(const DrawnJob& job) {
  using Promise = std::optional<std::string>;
  if (job.mode != "bsp" || !job.reproducible) return Promise();
  const auto key = std::pair(job.seed, job.epochs);
  if (const auto known = undisturbed_.find(key); known != undisturbed_.end())
    return Promise(known->second);
  DrawnJob calm;
  calm.seed = job.seed;
  calm.epochs = job.epochs;
  calm.speeds = {1};
  const SeedDraw draw{.seed = 0, .job = calm, .strikes = {}};
  Rehearsal rehearsal(draw, nullptr, {});
  const auto outcome = rehearsal.go({});
  if (!outcome) return outcome.error();
  if (!outcome->ok())
    return Error{Errc::internal, "a job that nothing happens to does not finish: " +
                                     outcome->violations.front().evidence};
  return Promise(undisturbed_[key] = rehearsal.parameters_sha256());
}

}  // namespace slime::tools
