#include "tools/slime/chaos/simulated/seed_series.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

namespace slime::tools {

namespace {

constexpr int wait_ms = 100;
// Few enough that all processes end at about the same time, and enough to be worth a start.
constexpr std::uint64_t range_max = 100;
constexpr std::uint64_t ranges_per_process = 8;

}  // namespace

SeedSeries::SeedSeries(Settings settings, StopSignals& signals)
    : settings_(std::move(settings)), signals_(signals) {
  const std::uint64_t end = settings_.first + settings_.seeds;
  const std::uint64_t ranges = ranges_per_process * std::max(1U, settings_.processes);
  const std::uint64_t size = std::clamp<std::uint64_t>(settings_.seeds / ranges, 1, range_max);
  for (std::uint64_t at = settings_.first; at < end; at += size)
    waiting_.push_back({at, std::min(at + size, end)});
}

Status SeedSeries::run() {
  for (;;) {
    if (const Status started = start_runners(); !started) return started;
    if (runners_.empty()) return ok();
    wait();
    if (const auto signal = signals_.take_all()) {
      interrupted_ = signal->number;
      return Error{Errc::unavailable, fmt::format("ended by signal {}", signal->number)};
    }
    for (auto runner = runners_.begin(); runner != runners_.end();) {
      hear(*runner);
      const auto exit = runner->process.reap();
      if (!exit) {
        ++runner;
        continue;
      }
      // What it said before it ended.
      hear(*runner);
      if (const Status fine = ended(*runner, *exit); !fine) return fine;
      runner = runners_.erase(runner);
    }
  }
}

Status SeedSeries::start_runners() {
  while (runners_.size() < std::max(1U, settings_.processes) && !waiting_.empty()) {
    const Range range = waiting_.front();
    waiting_.pop_front();
    ChildSpec spec;
    spec.name = "slime chaos";
    spec.command = {settings_.program};
    spec.command.insert(spec.command.end(), settings_.arguments.begin(), settings_.arguments.end());
    for (const std::string& word :
         {std::string("--first"), fmt::format("{}", range.next), std::string("--seeds"),
          fmt::format("{}", range.end - range.next)})
      spec.command.push_back(word);
    // A simulation is one thread; libraries that add more would take them from others.
    spec.environment = settings_.environment;
    spec.environment.insert(spec.environment.end(),
                            {"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1"});
    auto child = ChildProcess::start(spec);
    if (!child) return child.error();
    runners_.push_back({.range = range, .process = std::move(*child), .heard = monotonic_now()});
  }
  return ok();
}

void SeedSeries::wait() {
  std::vector<pollfd> wanted;
  for (const Runner& runner : runners_) {
    wanted.push_back({runner.process.output(), POLLIN, 0});
    wanted.push_back({runner.process.ended(), POLLIN, 0});
  }
  ::poll(wanted.data(), wanted.size(), wait_ms);
}

void SeedSeries::hear(Runner& runner) {
  std::array<char, 65536> buffer;
  while (runner.process.output() >= 0) {
    const ssize_t got = ::read(runner.process.output(), buffer.data(), buffer.size());
    if (got == 0) runner.process.close_output();
    if (got <= 0) break;
    runner.unread.append(buffer.data(), static_cast<std::size_t>(got));
  }
  for (std::size_t end; (end = runner.unread.find('\n')) != std::string::npos;) {
    take_line(runner, runner.unread.substr(0, end));
    runner.unread.erase(0, end + 1);
  }
  if (runner.stuck || monotonic_now() - runner.heard < settings_.stuck_after) return;
  runner.stuck = true;
  runner.process.signal(SIGKILL);
}

void SeedSeries::take_line(Runner& runner, const std::string& line) {
  const auto outcome = read_outcome(line);
  if (!outcome || outcome->seed != runner.range.next || runner.range.next == runner.range.end) {
    if (!line.empty()) runner.last_words = line;
    return;
  }
  ++runner.range.next;
  runner.heard = monotonic_now();
  settings_.on_outcome(*outcome);
}

Status SeedSeries::ended(const Runner& runner, const ProcessExit& exit) {
  const auto [next, end] = runner.range;
  if (next == end) return ok();
  const std::string how =
      to_string(exit) + (runner.last_words.empty() ? "" : ": " + runner.last_words);
  if (!exit.by_signal)
    return Error{Errc::internal,
                 fmt::format("running seed {}: its process gave up with {}", next, how)};
  SeedOutcome outcome{.seed = next};
  if (runner.stuck)
    outcome.violations = {{"job_finished", fmt::format("no end after {:.0f} s of real time",
                                                       to_seconds(settings_.stuck_after))}};
  else
    outcome.violations = {{"no_crash", "its process ended by " + how}};
  settings_.on_outcome(outcome);
  if (next + 1 < end) waiting_.push_front({next + 1, end});
  return ok();
}

}  // namespace slime::tools
