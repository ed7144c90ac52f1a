#include "tools/slime/record/story_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "tools/slime/record/record_line.hpp"
#include "tools/slime/settings/job_rules.hpp"

namespace slime::tools {

namespace {

constexpr std::size_t line_bytes_max = std::size_t{16} << 20;
constexpr std::uint32_t workers_max = 10'000;
// Thirty years; and what a double counts exactly.
constexpr double seconds_max = 1e9;
constexpr std::uint64_t count_max = std::uint64_t{1} << 53;

Error wrong(const std::string& what) {
  return Error{Errc::corruption, what};
}

bool is_time(double seconds) {
  return std::isfinite(seconds) && seconds >= 0 && seconds <= seconds_max;
}

template <class... Numbers>
Status check_times(Numbers... seconds) {
  if ((is_time(seconds) && ...)) return ok();
  return wrong("it has seconds that cannot be");
}

template <class... Numbers>
Status check_counts(Numbers... counts) {
  if (((counts <= count_max) && ...)) return ok();
  return wrong("it has a number that cannot be");
}

Status check_job(schema::JobSpec::Reader job) {
  const auto targets = job.getTargetAccuracies();
  if (targets.size() > targets_max)
    return wrong(fmt::format("its job has {} target accuracies, at most {} can be reported",
                             targets.size(), targets_max));
  for (const double target : targets)
    if (!(target > 0 && target <= 1)) return wrong("its job has a target that cannot be");
  if (job.getWorkers() >= 1 && job.getWorkers() <= workers_max) return ok();
  return wrong(fmt::format("its job has {} workers", job.getWorkers()));
}

/// What the figures of a run are made of.
Status check_progress(schema::Progress::Reader progress, std::uint32_t workers) {
  if (const Status fine = check_times(progress.getRunSeconds()); !fine) return fine;
  if (const Status fine = check_counts(progress.getSamples(), progress.getRunSamples(),
                                       progress.getIterations(), progress.getIteration());
      !fine)
    return fine;
  const auto absent_or = [](double value, double largest) {
    return std::isnan(value) || (value >= 0 && value <= largest);
  };
  if (!absent_or(progress.getTestAccuracy(), 1)) return wrong("it has an accuracy that cannot be");
  bool timely = absent_or(progress.getIdealSeconds(), seconds_max);
  if (progress.getTargets().size() > targets_max) return wrong("it has too many targets");
  for (const auto target : progress.getTargets())
    timely = timely && target.getAccuracy() > 0 && target.getAccuracy() <= 1 &&
             absent_or(target.getSeconds(), seconds_max);
  if (!timely) return wrong("it has seconds that cannot be");
  if (progress.getWorkers().size() > workers) return wrong("it has more workers than the job");
  for (const auto worker : progress.getWorkers()) {
    if (worker.getWorker() >= workers) return wrong("it has a worker that the job has not");
    const double idle = worker.getIdleFraction();
    if (!(idle >= 0 && idle <= 1) || !is_time(worker.getBusySeconds()) ||
        worker.getSamples() > count_max)
      return wrong("it has numbers of a worker that cannot be");
  }
  return ok();
}

}  // namespace

Status StoryReader::add(std::string_view line) {
  return read_record_line(line, [this](schema::RecordLine::Reader read) { return take(read); });
}

Result<RunStory> StoryReader::finish() && {
  if (!begun_) return wrong("there is no header");
  story_.thinned = decisions_.thinned() || evaluations_.thinned();
  for (auto& groups : groups_) {
    story_.thinned = story_.thinned || groups.thinned();
    story_.groups.push_back(std::move(groups).take());
  }
  story_.decisions = std::move(decisions_).take();
  story_.evaluations = std::move(evaluations_).take();
  story_.incidents = take_incidents();
  return std::move(story_);
}

std::vector<Incident> StoryReader::take_incidents() {
  std::vector<Incident> all;
  for (auto& of_kind : incidents_) {
    story_.thinned = story_.thinned || of_kind.thinned();
    std::ranges::move(std::move(of_kind).take(), std::back_inserter(all));
  }
  std::ranges::sort(all, {}, &Incident::number);
  return all;
}

Status StoryReader::take(schema::RecordLine::Reader line) {
  if (!begun_ && !line.isHeader()) return wrong("the first line is no header of a record");
  if (story_.end) return wrong("something follows the end");
  switch (line.which()) {
    case schema::RecordLine::HEADER:
      return begun_ ? wrong("there is another header") : take_header(line.getHeader());
    case schema::RecordLine::ENTRY:
      return take_entry(line.getEntry());
    case schema::RecordLine::GAP: {
      const std::uint64_t lost = line.getGap().getLost();
      if (const Status fine = check_counts(lost, lost + story_.lost); !fine) return fine;
      story_.lost += lost;
      story_.lost_more = story_.lost_more || lost == 0;
      note(Incident::Kind::gap, story_.run_s,
           lost > 0 ? fmt::format("{} entries were forgotten before anybody asked for them", lost)
                    : "what a coordinator had not told before it ended is lost");
      return ok();
    }
    case schema::RecordLine::END:
      return take_end(line.getEnd());
    case schema::RecordLine::UNKNOWN:
      break;
  }
  ++story_.unknown;
  return ok();
}

Status StoryReader::take_header(schema::RecordHeader::Reader header) {
  if (header.getFormatVersion() == 0) return wrong("the header names no version of the format");
  if (header.getFormatVersion() > record_format)
    return Error{
        Errc::incompatible,
        fmt::format("it is a record of format {}, written by SLIME {}; this one reads "
                    "format {}: use that one or a later one",
                    header.getFormatVersion(), header.getSlimeVersion().cStr(), record_format)};
  if (const Status fine = check_job(header.getJob()); !fine) return fine;
  begun_ = true;
  story_.workers = header.getJob().getWorkers();
  story_.totals.workers.resize(story_.workers);
  for (const double target : header.getJob().getTargetAccuracies())
    story_.totals.seconds_to_accuracy.emplace_back(target, std::nullopt);
  groups_.assign(story_.workers, ThinnedMarks<GroupMark>(limits_.groups / story_.workers));
  decisions_ =
      ThinnedMarks<DecisionMark>(std::min(limits_.decisions, limits_.shares / story_.workers));
  story_.header = runtime::Message<schema::RecordHeader>::copy(header);
  return ok();
}

Status StoryReader::take_entry(schema::RecordEntry::Reader entry) {
  const double run_s = entry.getRunSeconds();
  if (const Status fine = check_times(run_s); !fine) return fine;
  // A new coordinator may know the run's time a little too short.
  const bool goes_back = entry.isStarted() || entry.isRolledBack();
  if (run_s < story_.run_s && !goes_back && !entry.isUnknown())
    return wrong(fmt::format("it happened at {} s, before the line above it", run_s));
  if (const Status fine = take_what(entry, run_s); !fine) return fine;
  if (!entry.isUnknown()) story_.run_s = run_s;
  return ok();
}

Status StoryReader::take_what(schema::RecordEntry::Reader entry, double run_s) {
  using Kind = Incident::Kind;
  switch (entry.which()) {
    case schema::RecordEntry::GROUP:
      return take_group(entry.getGroup(), run_s);
    case schema::RecordEntry::SHARES:
      return take_shares(entry.getShares(), run_s);
    case schema::RecordEntry::EVALUATION:
      return take_evaluation(entry.getEvaluation(), run_s);
    case schema::RecordEntry::STARTED: {
      const auto start = entry.getStarted();
      if (const Status fine = check_counts(start.getIteration()); !fine) return fine;
      story_.totals.iterations = start.getIteration();
      const std::string_view reason = start.getReason().cStr();
      note(Kind::started, run_s,
           fmt::format("training from iteration {} of {}, term {}{}{}", start.getIteration(),
                       start.getIterations(), start.getTerm(),
                       reason.empty() ? "" : ", since a standby took over: ", reason));
      return ok();
    }
    case schema::RecordEntry::JOINED:
      note(Kind::joined, run_s, fmt::format("worker {}", entry.getJoined().getWorker()));
      return check_worker(entry.getJoined().getWorker());
    case schema::RecordEntry::GONE:
      ++story_.totals.deaths;
      note(Kind::gone, run_s, entry.getGone().getReason().cStr());
      return check_worker(entry.getGone().getWorker());
    case schema::RecordEntry::ROLLED_BACK: {
      const auto back = entry.getRolledBack();
      ++story_.totals.rollbacks;
      if (const Status fine = check_counts(back.getToIteration()); !fine) return fine;
      story_.totals.iterations = back.getToIteration();
      note(Kind::rolled_back, run_s,
           fmt::format("from iteration {} to {}: {}", back.getFromIteration(),
                       back.getToIteration(), back.getReason().cStr()));
      return ok();
    }
    case schema::RecordEntry::CHECKPOINT:
      note(Kind::checkpoint, run_s,
           fmt::format("of iteration {}", entry.getCheckpoint().getIteration()));
      return ok();
    case schema::RecordEntry::UNKNOWN:
      break;
  }
  ++story_.unknown;
  return ok();
}

Status StoryReader::take_group(schema::GroupSeal::Reader group, double run_s) {
  if (const Status fine = check_worker(group.getWorker()); !fine) return fine;
  if (const Status fine = check_counts(group.getIteration()); !fine) return fine;
  const GroupMark mark{.lead = group.getLead(),
                       .compute_s = group.getComputeSeconds(),
                       .fetch_s = group.getFetchSeconds(),
                       .push_s = group.getPushSeconds(),
                       .wait_s = group.getWaitSeconds(),
                       .run_s = run_s};
  if (const Status fine = check_times(mark.compute_s, mark.fetch_s, mark.push_s, mark.wait_s);
      !fine)
    return fine;
  groups_[group.getWorker()].add(mark);
  RunTotals& totals = story_.totals;
  totals.workers[group.getWorker()].busy_s += mark.compute_s;
  reached(group.getIteration() - std::min<std::uint64_t>(mark.lead, group.getIteration()));
  if (group.getSamples() == 0) return ok();
  totals.workers[group.getWorker()].samples += group.getSamples();
  ++totals.groups;
  totals.leads += mark.lead;
  totals.lead_max = std::max(totals.lead_max, mark.lead);
  return ok();
}

Status StoryReader::take_shares(schema::ShareDecision::Reader decision, double run_s) {
  DecisionMark mark{.run_s = run_s, .iteration = decision.getIteration(), .workers = {}};
  if (const Status fine = check_counts(mark.iteration); !fine) return fine;
  if (decision.getWorkers().size() > story_.workers)
    return wrong("it shares the work between more workers than there are");
  for (const auto share : decision.getWorkers()) {
    if (const Status fine = check_worker(share.getWorker()); !fine) return fine;
    if (const Status fine =
            check_times(share.getFixedSeconds(), share.getSecondsPerSample(), share.getNoise());
        !fine)
      return fine;
    mark.workers.push_back({.worker = share.getWorker(),
                            .blocks = share.getBlocks(),
                            .measured = share.getMeasured(),
                            .fixed_s = share.getFixedSeconds(),
                            .sample_s = share.getSecondsPerSample(),
                            .noise = share.getNoise()});
  }
  decisions_.add(std::move(mark));
  ++story_.totals.decisions;
  return ok();
}

Status StoryReader::take_evaluation(schema::EvaluationResult::Reader result, double run_s) {
  if (const Status fine = check_counts(result.getIteration(), result.getSamples()); !fine)
    return fine;
  const double accuracy = result.getAccuracy();
  if (!(accuracy >= 0 && accuracy <= 1)) return wrong("it has an accuracy that cannot be");
  evaluations_.add({run_s, result.getSamples(), accuracy});
  reached(result.getIteration());
  story_.totals.accuracy = accuracy;
  for (auto& [target, seconds] : story_.totals.seconds_to_accuracy)
    if (!seconds && accuracy >= target) seconds = run_s;
  return ok();
}

Status StoryReader::take_end(schema::RecordEnd::Reader end) {
  if (const Status fine = check_progress(end.getProgress(), story_.workers); !fine) return fine;
  story_.run_s = std::max(story_.run_s, end.getProgress().getRunSeconds());
  story_.end = runtime::Message<schema::RecordEnd>::copy(end);
  return ok();
}

Status StoryReader::check_worker(std::uint32_t worker) const {
  if (worker < story_.workers) return ok();
  return wrong(fmt::format("it has a worker {}, and the job has {}", worker, story_.workers));
}

void StoryReader::reached(std::uint64_t iteration) {
  story_.totals.iterations = std::max(story_.totals.iterations, iteration);
}

void StoryReader::note(Incident::Kind kind, double run_s, std::string_view text) {
  incidents_[static_cast<std::size_t>(kind)].add(
      {kind, run_s, shortened(text, Incident::text_bytes_max), noted_++});
}

namespace {

/// What whoever reads that a line is wrong can do about it.
std::string_view remedy(std::uint64_t line) {
  return line <= 1 ? "; name a file that slime train wrote"
                   : "; without this line the others can still be read";
}

}  // namespace

StoryLimits StoryLimits::of_one(std::size_t runs) {
  const StoryLimits alone;
  const std::size_t parts = std::max<std::size_t>(runs, 1);
  return {.groups = alone.groups / parts,
          .decisions = alone.decisions / parts,
          .shares = alone.shares / parts,
          .evaluations = alone.evaluations / parts,
          .incidents = alone.incidents / parts};
}

Status check_runs(std::size_t runs) {
  if (runs <= runs_max) return ok();
  return Error{Errc::invalid_argument,
               fmt::format("reading records: {} are more than the {} that can be shown side by "
                           "side; name fewer, or do it in several goes",
                           runs, runs_max)};
}

Result<RunStory> read_story(const std::filesystem::path& file, const StoryLimits& limits) {
  std::uint64_t number = 0;
  const auto failed = [&](Errc code, const std::string& why) {
    const std::string line = number > 0 ? fmt::format(", line {}", number) : "";
    return Error{code, fmt::format("reading the record {}{}: {}{}", file.string(), line, why,
                                   code == Errc::corruption ? remedy(number) : "")};
  };
  std::error_code missing;
  if (!std::filesystem::exists(file, missing))
    return failed(Errc::not_found, "there is none; slime train --record FILE writes one");
  std::ifstream in(file, std::ios::binary);
  if (!in) return failed(Errc::io_error, std::strerror(errno));
  StoryReader reader(limits);
  std::string line(line_bytes_max, '\0');
  while (in.peek() != std::ifstream::traits_type::eof()) {
    ++number;
    in.getline(line.data(), static_cast<std::streamsize>(line.size()));
    const auto length = static_cast<std::size_t>(in.gcount());
    if (in.bad()) return failed(Errc::io_error, "the disk fails");
    if (in.fail())
      return failed(Errc::corruption,
                    fmt::format("it is longer than {} MiB", line_bytes_max >> 20));
    if (in.eof()) {
      reader.cut();
      break;
    }
    if (const Status taken = reader.add(std::string_view(line).substr(0, length - 1)); !taken)
      return failed(taken.error().code, taken.error().context);
  }
  if (in.bad())
    return failed(Errc::io_error, "it cannot be read; name a file that slime train wrote");
  auto story = std::move(reader).finish();
  if (!story) return failed(story.error().code, story.error().context);
  story->file = file.string();
  return story;
}

}  // namespace slime::tools
