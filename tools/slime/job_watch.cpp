#include "tools/slime/job_watch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <set>
#include <utility>

namespace slime::tools {

using runtime::Message;

namespace {

// A long record does not keep the watch from looking at the job.
constexpr int pieces_at_once = 200;

}  // namespace

JobWatch::JobWatch(const ClusterAccess& cluster, JobClient& job, schema::JobSpec::Reader spec,
                   StopSignals& signals, const Console& console, ProgressPrinter& printer,
                   Settings settings)
    : cluster_(cluster),
      job_(job),
      spec_(spec),
      signals_(signals),
      console_(console),
      printer_(printer),
      settings_(std::move(settings)),
      heard_(monotonic_now()),
      worked_(heard_),
      populated_(heard_) {}

Result<JobEnd> JobWatch::run() {
  for (;;) {
    const auto signal = signals_.wait(settings_.interval);
    const Instant now = monotonic_now();
    if (signal && signal_ && !is_the_same(*signal, now) && !follows_a_warning(*signal))
      return end();
    if (signal && (!signal_ || follows_a_warning(*signal))) interrupted(*signal, now);
    if (signal_ && now >= stop_by_) return end();
    if (const Status fine = tell_news(); !fine) return fine.error();
    if (auto over = look(now)) return std::move(*over);
  }
}

bool JobWatch::is_the_same(const StopSignal& signal, Instant now) const {
  // Two from the terminal are two key strokes.
  const bool typed = signal.sender == 0 && first_sender_ == 0;
  return !typed && now - signalled_ < settings_.same_signal_within;
}

bool JobWatch::follows_a_warning(const StopSignal& signal) const {
  return signal_ == SIGUSR1 && signal.number == SIGTERM;
}

void JobWatch::interrupted(const StopSignal& signal, Instant now) {
  signal_ = signal.number;
  first_sender_ = signal.sender;
  signalled_ = now;
  stop_by_ = now + settings_.grace;
  say("stopping at the next boundary; once more ends the run at once");
}

std::optional<Result<JobEnd>> JobWatch::look(Instant now) {
  if (signal_ && !stop_asked_) stop_asked_ = bool(job_.stop());
  auto progress = job_.progress();
  if (!progress) {
    // Whoever takes the job up may not have heard of it.
    stop_asked_ = false;
    if (auto why = lost(progress.error(), now)) return *why;
    return std::nullopt;
  }
  if (told_silence_) {
    // Who was there in the meantime could not be seen.
    populated_ = std::min(now, populated_ + (now - heard_));
    worked_ = std::min(now, worked_ + (now - heard_));
  }
  heard_ = now;
  if (std::exchange(told_silence_, false)) say("the job's coordinator answers again");
  progress_ = *progress;
  take_record();
  return progress_.read([&](schema::Progress::Reader read) { return judge(read, now); });
}

std::optional<Result<JobEnd>> JobWatch::judge(schema::Progress::Reader progress, Instant now) {
  tell_events(progress);
  switch (progress.getState()) {
    case schema::JobState::FAILED:
      return Error{static_cast<Errc>(progress.getFailure().getCode()),
                   progress.getFailure().getContext().cStr()};
    case schema::JobState::FINISHED: {
      JobEnd done = end();
      done.finished = true;
      return done;
    }
    case schema::JobState::STOPPED: {
      if (!signal_)
        return Error{Errc::unavailable, fmt::format("somebody else stopped the job at iteration {}",
                                                    progress.getIteration())};
      JobEnd done = end();
      done.stopped = true;
      return done;
    }
    case schema::JobState::TRAINING:
      rate_.add(progress.getRunSamples(), now);
      printer_.update(run_progress(spec_, progress, rate_.per_second()), now,
                      terminal_width(STDERR_FILENO));
      break;
    case schema::JobState::STARTING:
      break;
  }
  if (auto why = deserted(progress, now)) return *why;
  return std::nullopt;
}

void JobWatch::take_record() {
  if (!settings_.record) return;
  for (int piece = 0; piece < pieces_at_once; ++piece) {
    const auto next = job_.record();
    if (!next) return;
    settings_.record(*next);
    if (!next->record.read([](schema::Record::Reader read) { return read.getMore(); })) return;
  }
}

Status JobWatch::look_again() {
  if (!settings_.look_again) return ok();
  const auto later = settings_.look_again();
  if (later) {
    cluster_.follow(*later);
    job_.follow(*later);
    return ok();
  }
  // Other reasons may pass.
  const Errc code = later.error().code;
  if (code == Errc::not_found || code == Errc::refused || code == Errc::incompatible)
    return later.error();
  return ok();
}

std::optional<Error> JobWatch::lost(const Error& why, Instant now) {
  if (const Status there = look_again(); !there) return there.error();
  if (const Status supervised = job_.abandoned(); !supervised) return supervised.error();
  if (now - heard_ >= settings_.silence_told && !std::exchange(told_silence_, true))
    say(fmt::format("waiting for up to {:.0f} s: the job's coordinator does not answer: {}",
                    to_seconds(settings_.silence_max), why.context));
  if (now - heard_ < settings_.silence_max) return std::nullopt;
  return Error{why.code, fmt::format("the job's coordinator has not answered for {:.0f} s: {}",
                                     to_seconds(now - heard_), why.context)};
}

std::optional<Error> JobWatch::deserted(schema::Progress::Reader progress, Instant now) {
  for (const auto worker : progress.getWorkers())
    if (worker.getAlive()) worked_ = populated_ = now;
  if (now - worked_ > settings_.stuck_max)
    return Error{Errc::timeout, fmt::format("no worker has worked for {:.0f} s; last event: {}",
                                            to_seconds(now - worked_), last_event_)};
  const std::string missing = missing_role();
  if (missing.empty()) populated_ = now;
  const double seconds = to_seconds(now - populated_);
  if (now - populated_ >= settings_.idle_max)
    return Error{Errc::timeout, fmt::format("no {} for {:.0f} s", missing, seconds)};
  if (now - populated_ >= settings_.idle_told && !missing.empty() &&
      std::exchange(told_missing_, missing) != missing)
    say(fmt::format("waiting for {:.0f} s: no {}", seconds, missing));
  return std::nullopt;
}

std::string JobWatch::missing_role() const {
  const auto members = cluster_.node.call(cluster_.membership, Message<schema::GetMembers>::make(),
                                          std::chrono::seconds(2));
  if (!members) return {};
  return members->read([](schema::Members::Reader read) -> std::string {
    std::set<std::string, std::less<>> roles;
    std::string nodes;
    for (const auto member : read.getMembers()) {
      if (member.getState() != schema::MemberState::ALIVE) continue;
      std::string theirs;
      for (const auto role : member.getRoles()) {
        roles.emplace(role.cStr());
        theirs += fmt::format("{}{}", theirs.empty() ? "" : ", ", role.cStr());
      }
      nodes += fmt::format("{}{} ({})", nodes.empty() ? "" : ", ", member.getName().cStr(), theirs);
    }
    for (const std::string_view role : {"worker", "shard"})
      if (!roles.contains(role))
        return fmt::format(
            "node with the role \"{}\" among {}; slime start --join ADDRESS --role "
            "{} adds one",
            role, nodes, role);
    return {};
  });
}

void JobWatch::tell_events(schema::Progress::Reader progress) {
  const bool failed = progress.getState() == schema::JobState::FAILED;
  const std::string_view reason = progress.getFailure().getContext().cStr();
  for (const auto event : progress.getEvents()) {
    const std::string_view text = event.getText().cStr();
    // The command's last line gives the reason itself.
    if (failed && text.ends_with(reason)) continue;
    say(std::string(text));
    last_event_ = text;
  }
}

void JobWatch::say(const std::string& text) {
  printer_.clear();
  console_.err << one_line(text) << std::endl;
}

Status JobWatch::tell_news() {
  if (!settings_.news) return ok();
  const auto news = settings_.news();
  if (!news) return news.error();
  for (const std::string& line : *news) say(line);
  return ok();
}

JobEnd JobWatch::end() const {
  return {.progress = progress_, .signal = signal_};
}

}  // namespace slime::tools
