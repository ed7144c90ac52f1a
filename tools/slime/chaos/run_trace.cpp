#include "tools/slime/chaos/run_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace slime::tools {

namespace {

// More of them tell no more.
constexpr std::size_t wrong_listed_max = 5;
// Iterations that may be open at once though none so far was seen that far ahead.
constexpr std::uint64_t open_unseen_min = 8;
// Of a run in an empty directory.
constexpr std::uint64_t first_term = 1;

}  // namespace

RunTrace::RunTrace(const trainer::WorkPlan& plan, bool committed)
    : plan_(plan), committed_(committed), tallies_(plan.iterations()) {}

void RunTrace::add(schema::RecordLine::Reader line) {
  ++lines_;
  switch (line.which()) {
    case schema::RecordLine::HEADER:
      return take_header(line.getHeader());
    case schema::RecordLine::ENTRY:
      return take_entry(line.getEntry());
    case schema::RecordLine::GAP:
      hole_ = lost_since_checkpoint_ = true;
      return;
    case schema::RecordLine::END:
      return take_end(line.getEnd());
    case schema::RecordLine::UNKNOWN:
      return;
  }
}

void RunTrace::take_header(schema::RecordHeader::Reader header) {
  end_.reset();
  open_.clear();
  hole_ = false;
  if (!std::exchange(begun_, true)) return;
  if (header.getResume()) {
    ++resumes_;
    expected_ = Start::resume;
    return;
  }
  if (!checkpoints_.empty())
    broken_.push_back(
        fmt::format("a command began anew though a checkpoint of iteration {} was "
                    "committed",
                    checkpoints_.back()));
  expected_ = Start::first;
}

void RunTrace::take_entry(schema::RecordEntry::Reader entry) {
  switch (entry.which()) {
    case schema::RecordEntry::STARTED:
      return take_start(entry.getStarted());
    case schema::RecordEntry::GROUP:
      return take_group(entry.getGroup());
    case schema::RecordEntry::EVALUATION:
      return advance(entry.getEvaluation().getIteration());
    case schema::RecordEntry::GONE:
      return take_gone(entry.getGone().getWorker());
    case schema::RecordEntry::ROLLED_BACK:
      return take_rollback(entry.getRolledBack());
    case schema::RecordEntry::CHECKPOINT:
      lost_since_checkpoint_ = false;
      checkpoints_.push_back(entry.getCheckpoint().getIteration());
      return advance(checkpoints_.back());
    case schema::RecordEntry::SHARES:
    case schema::RecordEntry::JOINED:
    case schema::RecordEntry::UNKNOWN:
      return;
  }
}

void RunTrace::take_start(schema::TermStart::Reader start) {
  const std::uint64_t at = start.getIteration();
  if (start.getIterations() != plan_.iterations())
    broken_.push_back(fmt::format("the job has {} iterations, {} were expected",
                                  start.getIterations(), plan_.iterations()));
  if (start.getReason().size() > 0) return take_over(at);
  switch (expected_) {
    case Start::first:
      // A later term is that of a coordinator that has taken over from one that told nothing.
      if (start.getTerm() > first_term) {
        excuse_before(at);
        hole_ = true;
      } else if (at != 0) {
        broken_.push_back(fmt::format("training began at iteration {}", at));
      }
      break;
    case Start::rollback:
      if (at != rolled_back_to_)
        broken_.push_back(fmt::format("after a rollback to iteration {} training went on from {}",
                                      rolled_back_to_, at));
      break;
    case Start::resume:
      if (at < newest_checkpoint())
        broken_.push_back(
            fmt::format("a command resumed from iteration {} though a checkpoint of "
                        "{} was committed",
                        at, newest_checkpoint()));
      // It was committed, and its command was killed before it said so.
      if (at > newest_checkpoint()) checkpoints_.push_back(at);
      excuse_before(at);
      break;
    case Start::unforeseen:
      if (!hole_)
        broken_.push_back(
            fmt::format("training began again at iteration {}, and no rollback says "
                        "why",
                        at));
      excuse_before(at);
      break;
  }
  const bool taken_over = hole_ && (expected_ == Start::unforeseen || expected_ == Start::first);
  expected_ = Start::unforeseen;
  hole_ = false;
  taken_over ? doubt_from(at) : forget_from(at);
  frontier_ = at;
  reached_ = std::max(reached_, at);
}

void RunTrace::take_over(std::uint64_t at) {
  // A commit may be decided and told, and then be repeated by those who did not hear of it.
  if (at + (committed_ ? 1 : 0) < frontier_ && !hole_)
    broken_.push_back(
        fmt::format("a standby took over at iteration {} though {} was reached", at, frontier_));
  // What no shard had by then is computed and sealed again.
  for (std::uint64_t i = at; i < tallies_.size(); ++i) tallies_[i].perhaps = tallies_[i].sealed;
  open_.clear();
  expected_ = Start::unforeseen;
}

void RunTrace::take_group(schema::GroupSeal::Reader group) {
  ++seals_;
  const std::uint64_t iteration = group.getIteration();
  if (iteration >= tallies_.size())
    return broken_.push_back(fmt::format("a group of iteration {} was sealed", iteration));
  lead_ = std::max<std::uint64_t>(lead_, group.getLead());
  advance(iteration - std::min<std::uint64_t>(group.getLead(), iteration));
  if (std::exchange(hole_, false)) excuse_before(iteration + 1);
  tallies_[iteration].sealed += group.getSamples();
  if (!committed_) return;
  // One iteration at a time: those before this one are committed.
  if (iteration != std::exchange(open_iteration_, iteration)) open_.clear();
  open_[group.getWorker()] += group.getSamples();
}

void RunTrace::take_gone(std::uint32_t worker) {
  if (const auto sealed = open_.extract(worker); !sealed.empty() && !tallies_.empty())
    tallies_[open_iteration_].perhaps += sealed.mapped();
}

void RunTrace::take_rollback(schema::RollbackEntry::Reader back) {
  ++rollbacks_;
  const std::uint64_t from = back.getFromIteration();
  rolled_back_to_ = back.getToIteration();
  if (from < frontier_ && !hole_)
    broken_.push_back(
        fmt::format("a rollback from iteration {} though {} was reached", from, frontier_));
  // It was committed, and its coordinator was killed before it said so.
  const bool untold = rolled_back_to_ > newest_checkpoint() && lost_since_checkpoint_;
  if (untold) checkpoints_.push_back(rolled_back_to_);
  if (rolled_back_to_ != newest_checkpoint() && !hole_)
    broken_.push_back(
        fmt::format("a rollback to iteration {} though the newest checkpoint was of "
                    "{}",
                    rolled_back_to_, newest_checkpoint()));
  lost_iterations_ += from - std::min(rolled_back_to_, from);
  forget_from(rolled_back_to_);
  frontier_ = rolled_back_to_;
  expected_ = Start::rollback;
}

void RunTrace::take_end(schema::RecordEnd::Reader end) {
  const auto progress = end.getProgress();
  end_ = TraceEnd{.finished = end.getState() == schema::JobState::FINISHED,
                  .reason = end.getReason().cStr(),
                  .iterations = progress.getIteration(),
                  .samples = progress.getSamples(),
                  .parameters_sha256 = progress.getParametersSha256().cStr()};
}

void RunTrace::forget_from(std::uint64_t iteration) {
  for (std::uint64_t i = iteration; i < tallies_.size(); ++i) tallies_[i] = {};
  open_.clear();
}

void RunTrace::doubt_from(std::uint64_t iteration) {
  // What the coordinator before this one leased last it had not told.
  const std::uint64_t open = committed_ ? 1 : std::max(lead_ + 2, open_unseen_min);
  for (std::uint64_t i = iteration; i < tallies_.size(); ++i) {
    // Its groups may be whole on all shards, and are kept then, or are done again.
    if (i < iteration + open || tallies_[i].sealed > 0) tallies_[i].untold = true;
    tallies_[i].perhaps = tallies_[i].sealed;
  }
  open_.clear();
}

void RunTrace::excuse_before(std::uint64_t iteration) {
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(iteration, tallies_.size()); ++i)
    if (tallies_[i].sealed < plan_.samples_in(i)) tallies_[i].untold = true;
}

void RunTrace::advance(std::uint64_t iteration) {
  frontier_ = std::max(frontier_, iteration);
  reached_ = std::max(reached_, iteration);
}

SampleAccount RunTrace::account(std::uint64_t before) const {
  SampleAccount account;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(before, tallies_.size()); ++i) {
    const Tally& tally = tallies_[i];
    const std::uint64_t wanted = plan_.samples_in(i);
    const bool too_many = tally.sealed - tally.perhaps > wanted;
    if (!too_many && tally.sealed >= wanted) {
      ++account.exact;
    } else if (!too_many && tally.untold) {
      ++account.untold;
    } else {
      ++account.wrong_count;
      if (account.wrong.size() < wrong_listed_max)
        account.wrong.push_back(
            fmt::format("iteration {} of epoch {}: {} of {} samples", i, plan_.epoch_of(i) + 1,
                        too_many ? tally.sealed - tally.perhaps : tally.sealed, wanted));
    }
  }
  return account;
}

}  // namespace slime::tools
