#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "actors/training/coordinator.hpp"
#include "actors/training/job_parts.hpp"
#include "runtime/wire/address.hpp"
#include "trainer/model/fingerprint.hpp"

namespace slime::actors {

using namespace std::chrono_literals;

namespace {

constexpr int last_saves_max = 5;
// Chunks of the test set per worker, so that a slow one does not hold up the rest.
constexpr std::uint64_t chunks_per_worker = 4;
// Parameters hashed in a turn: a few milliseconds' worth.
constexpr std::size_t hashed_at_once = std::size_t{1} << 20;

/// The smallest multiple of `step` beyond `after`; `last` when that is smaller or step is 0.
std::uint64_t next_multiple(std::uint64_t after, std::uint64_t step, std::uint64_t last) {
  return step == 0 ? last : std::min(last, (after / step + 1) * step);
}

}  // namespace

void CoordinatorActor::plan_from(std::uint64_t start, bool begun) {
  // What is due at `start` itself was met only if it is known to be.
  planned_from_ = begun || start == 0 ? start : start - 1;
  const bool saved = last_checkpoint_ == static_cast<std::int64_t>(start);
  if ((saved || branches_) && manifest_ && manifest_iteration() == start)
    if (const double known = manifest_->read([](auto read) { return read.getAccuracy(); });
        !std::isnan(known)) {
      history_.accuracy = known;
      history_.evaluated_at = static_cast<std::int64_t>(start);
    }
  const std::uint64_t every = job().getCheckpoint().getEveryIterations();
  // Being written when the coordinator died, it is lost; the next iteration will do as well.
  const bool saves = job().getCheckpoint().getDirectory().size() > 0;
  if (saves && begun && start > 0 && every > 0 && start % every == 0 && !saved) save_wanted_ = true;
  // Its own from the beginning, so that it is the newest, and needs no other directory any more.
  if (branches_) save_wanted_ = true;
  plan_boundary();
}

void CoordinatorActor::plan_boundary() {
  const auto& plan = ledger_->plan();
  const std::uint64_t every = job().getEvaluate().getEveryIterations();
  const std::uint64_t evaluate = next_multiple(
      planned_from_, every == 0 ? plan.iterations_per_epoch() : every, plan.iterations());
  const bool saves = job().getCheckpoint().getDirectory().size() > 0;
  const std::uint64_t save = next_multiple(
      planned_from_, saves ? job().getCheckpoint().getEveryIterations() : 0, plan.iterations());
  boundary_ = std::min(evaluate, save);
  if (save_wanted_ || stop_wanted_) boundary_ = std::min(boundary_, ledger_->started());
  ledger_->pause_at(boundary_);
}

void CoordinatorActor::frontier_moved() {
  if (!running()) return;
  if (ledger_->frontier() >= boundary_ && !at_boundary_) at_boundary();
  history_changed();
  if (running()) offer_all();
}

void CoordinatorActor::at_boundary() {
  at_boundary_ = true;
  const auto& plan = ledger_->plan();
  const std::uint64_t here = ledger_->frontier();
  const std::uint64_t every_save = job().getCheckpoint().getEveryIterations();
  const std::uint64_t every = job().getEvaluate().getEveryIterations();
  const bool last = here == plan.iterations();
  const bool saves = job().getCheckpoint().getDirectory().size() > 0;
  if (last) set_clock(false);
  const bool save_due =
      save_wanted_ || stop_wanted_ || last || (every_save > 0 && here % every_save == 0);
  const bool evaluated = history_.evaluated_at == static_cast<std::int64_t>(here);
  // A checkpoint tells the accuracy, and the job's end the loss as well.
  const bool evaluate_due =
      last ? !evaluated || std::isnan(history_.loss)
           : !evaluated && here % (every == 0 ? plan.iterations_per_epoch() : every) == 0;
  last_saves_tried_ = 0;
  save_wanted_ = false;
  const bool waits_for_earlier = checkpoint_ && (last || stop_wanted_);
  if (saves && save_due && !waits_for_earlier &&
      static_cast<std::int64_t>(here) != last_checkpoint_)
    start_checkpoint();
  if (evaluate_due) {
    set_clock(false);
    const std::uint64_t chunk = std::max<std::uint64_t>(
        1, description_->test_samples / (chunks_per_worker * workers_.size()));
    evaluation_.emplace(++evaluation_number_, here, description_->test_samples, chunk);
    offer_all();
  }
  boundary_done();
}

void CoordinatorActor::boundary_done() {
  if (!running() || !at_boundary_ || evaluation_) return;
  if (checkpoint_ && !checkpoint_->to_copy.empty()) return;
  const std::uint64_t here = ledger_->frontier();
  const bool last = here == ledger_->plan().iterations();
  if (last || stop_wanted_) {
    // The end waits for the checkpoint to be whole; everything else goes on meanwhile.
    if (checkpoint_) return;
    // There may be none of this iteration, because an earlier one was still being written, the wish
    // to stop came late or it failed. A full disk is not to keep the job from ending for ever.
    const bool saves = job().getCheckpoint().getDirectory().size() > 0;
    const bool unsaved = saves && static_cast<std::int64_t>(here) != last_checkpoint_;
    if (unsaved && last_saves_tried_ < last_saves_max) return save_last();
    if (unsaved && last) return fail_unsaved();
    if (copy_awaited()) return;
  }
  if (last) return finish();
  if (stop_wanted_) {
    state_ = schema::JobState::STOPPED;
    set_clock(false);
    event("stopped at iteration " + std::to_string(here));
    return offer_all();
  }
  // Wanted since the boundary was reached, during the evaluation.
  const bool saved = static_cast<std::int64_t>(here) == last_checkpoint_;
  if (std::exchange(save_wanted_, false) && !checkpoint_ && !saved &&
      job().getCheckpoint().getDirectory().size() > 0)
    return start_checkpoint();
  at_boundary_ = false;
  planned_from_ = here;
  set_clock(true);
  plan_boundary();
  offer_all();
}

void CoordinatorActor::evaluated(const Message<schema::Evaluated>& request,
                                 Reply<schema::EvaluationTaken> reply) {
  request.read([&](schema::Evaluated::Reader read) {
    if (!serving(read.getWorker(), read.getTerm(), reply)) return;
    reply.send(Message<schema::EvaluationTaken>::make());
    if (!evaluation_ || evaluation_->number() != read.getRound()) return;
    evaluation_->put(WorkerId{read.getWorker()}, read.getFirst(), read.getCorrect(),
                     read.getLossSum());
    if (evaluation_->done()) evaluation_done();
  });
}

void CoordinatorActor::evaluation_done() {
  const std::uint64_t measured = evaluation_->version();
  history_.evaluated(measured, evaluation_->accuracy(), evaluation_->loss(), run_seconds());
  note_evaluation();
  evaluation_.reset();
  if (checkpoint_ && checkpoint_->iteration == measured) {
    checkpoint_->accuracy = history_.accuracy;
    commit_when_whole();
  }
  boundary_done();
  tell_history();
}

/// The parameters on their way into the hash that the job ends with.
struct CoordinatorActor::FinalParameters {
  std::size_t missing = 0;
  std::vector<float> parameters;
  std::size_t hashed = 0;
  trainer::Fingerprint fingerprint;
};

void CoordinatorActor::finish() {
  auto last = std::make_shared<FinalParameters>();
  last->missing = shards_.size();
  last->parameters.resize(parameters_);
  const auto request = Message<schema::Pull>::make([this](schema::Pull::Builder root) {
    root.setTerm(term_);
    root.setMinVersion(ledger_->plan().iterations());
  });
  for (std::size_t i = 0; i < shards_.size(); ++i)
    ask_until_answered(
        shards_[i].shard, request, LeadTime().retry(shards_[i].range.count * sizeof(float)),
        [this, i, last](Result<Message<schema::Parameters>> got) {
          if (!running()) return;
          if (!got) {
            // Such as a range that is longer than a message may be; a lost shard is rolled back.
            if (got.error().code == Errc::invalid_argument) fail(got.error());
            return;
          }
          got->read([&](schema::Parameters::Reader read) {
            const auto values = runtime::as_floats(read.getValues());
            std::ranges::copy(values, last->parameters.begin() +
                                          static_cast<std::ptrdiff_t>(shards_[i].range.first));
          });
          if (--last->missing == 0) hash_on(last);
        });
}

void CoordinatorActor::hash_on(const std::shared_ptr<FinalParameters>& last) {
  if (!running()) return;
  const auto left = std::span<const float>(last->parameters).subspan(last->hashed);
  if (!left.empty()) {
    const auto piece = left.first(std::min(left.size(), hashed_at_once));
    last->fingerprint.add(piece);
    last->hashed += piece.size();
    after(Duration::zero(), [this, last] { hash_on(last); });
    return;
  }
  const auto hash = last->fingerprint.finish();
  if (!hash) return fail(hash.error());
  sha256_ = *hash;
  state_ = schema::JobState::FINISHED;
  event("finished");
  offer_all();
}

void CoordinatorActor::stop_job(const Message<schema::StopJob>&, Reply<schema::JobStopping> reply) {
  reply.send(Message<schema::JobStopping>::make());
  stop_wanted_ = true;
  tell_history();
  if (!running()) {
    // Shards that a predecessor has left are adopted first: they may be ahead of any checkpoint.
    if (state_ == schema::JobState::STARTING && looked_around_ && !adopting_)
      state_ = schema::JobState::STOPPED;
    return;
  }
  plan_boundary();
  frontier_moved();
}

}  // namespace slime::actors
