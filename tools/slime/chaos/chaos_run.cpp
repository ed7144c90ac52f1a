#include "tools/slime/chaos/chaos_run.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <fstream>
#include <utility>

#include "storage/committed_checkpoints.hpp"
#include "tools/slime/chaos/save_sight.hpp"
#include "tools/slime/local_run.hpp"

namespace slime::tools {

using namespace std::string_literals;

namespace {

constexpr int tick_ms = 5;
// A checkpoint is written in a few tens of milliseconds.
constexpr int tick_while_looking_ms = 1;
constexpr Duration look_interval = std::chrono::milliseconds(50);
constexpr Duration gone_within = std::chrono::seconds(10);
constexpr std::size_t words_kept = 4096;
constexpr Duration gather_within = std::chrono::seconds(60);
constexpr Duration cluster_grace = std::chrono::seconds(10);

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

bool has_command(std::span<const RunProcess> group, const RunProcesses& running) {
  return !group.empty() && group.front().process == running.command.process;
}

}  // namespace

ChaosRun::ChaosRun(Settings settings, StopSignals& signals)
    : settings_(std::move(settings)),
      signals_(signals),
      schedule_(settings_.faults),
      budget_(settings_.durable ? DurableCluster::restart : LocalRun::Settings().restart),
      outcome_(RunTrace(settings_.plan, settings_.committed)) {
  outcome_.plan = settings_.plan;
  outcome_.planned = settings_.faults.size();
}

ChaosRun::~ChaosRun() = default;

Result<ChaosOutcome> ChaosRun::run() {
  started_ = heard_ = monotonic_now();
  if (const Status begun = start_cluster(); !begun) return begun.error();
  if (const Status begun = start_command(); !begun) return begun.error();
  for (;;) {
    wait();
    if (const Status goes_on = heed_signals(); !goes_on) return goes_on.error();
    const Instant now = monotonic_now();
    drain();
    if (const Status read = read_record(now); !read) return read.error();
    end_what_passed(now);
    if (const auto exit = command_->reap()) {
      const auto over = command_ended(*exit, now);
      if (!over) return over.error();
      if (*over) return outcome(now);
      continue;
    }
    look_around(now);
    serve_plan(now);
    if (now - heard_ < settings_.stuck_after) continue;
    outcome_.end =
        fmt::format("the record has said nothing for {:.0f} s", to_seconds(settings_.stuck_after));
    command_.reset();
    return outcome(now);
  }
}

Status ChaosRun::heed_signals() {
  const auto signal = signals_.take_all();
  if (!signal) return ok();
  interrupted_ = signal->number;
  return Error{Errc::unavailable, fmt::format("ended by signal {}", signal->number)};
}

Status ChaosRun::start_cluster() {
  if (!settings_.durable) return ok();
  auto cluster = DurableCluster::start({.program = settings_.program,
                                        .folder = settings_.folder,
                                        .private_folder = settings_.runtime_directory,
                                        .workers = settings_.durable->first,
                                        .shards = settings_.durable->second});
  if (!cluster) return cluster.error();
  cluster_ = std::move(*cluster);
  directory_.emplace(cluster_->place(), cluster_->token());
  // Members that come late keep the job's actors from spreading over all.
  const Instant deadline = monotonic_now() + gather_within;
  do {
    ::poll(nullptr, 0, tick_ms);
    if (const Status goes_on = heed_signals(); !goes_on) return goes_on;
    take_session(cluster_->session(), running_);
    if (running_.head && running_.nodes.size() + 1 == cluster_->size()) return ok();
  } while (monotonic_now() < deadline);
  return Error{Errc::timeout,
               fmt::format("starting a cluster of {} processes: {} of them joined within {:.0f} s",
                           cluster_->size(), running_.nodes.size() + (running_.head ? 1 : 0),
                           to_seconds(gather_within))};
}

Status ChaosRun::start_command() {
  const std::size_t number = ++outcome_.commands;
  const auto record = settings_.folder / fmt::format("record-{}.jsonl", number);
  ChildSpec spec;
  spec.name = "slime train";
  spec.command = {settings_.program, "train"};
  spec.command.insert(spec.command.end(), settings_.job.begin(), settings_.job.end());
  const auto logs = settings_.folder / fmt::format("logs-{}", number);
  spec.command.insert(spec.command.end(), {"--record", record.string()});
  const auto place =
      cluster_ ? cluster_->train_arguments() : std::vector{"--directory"s, logs.string()};
  spec.command.insert(spec.command.end(), place.begin(), place.end());
  if (has_checkpoint()) spec.command.emplace_back("--resume");
  spec.environment = {"XDG_RUNTIME_DIR=" + settings_.runtime_directory.string()};
  auto child = ChildProcess::start(spec);
  if (!child) return child.error();
  command_.emplace(std::move(*child));
  record_.emplace(record);
  budget_.reset();
  known_.clear();
  doomed_.clear();
  running_ = {};
  const auto process = identify(command_->pid());
  if (process) running_.command = {spec.name, *process};
  kill_expected_ = false;
  return ok();
}

bool ChaosRun::has_checkpoint() const {
  if (settings_.checkpoints.empty()) return false;
  storage::OpenedStores stores(settings_.checkpoints);
  const auto found = storage::committed_checkpoints(stores);
  return found && !found->all.empty();
}

void ChaosRun::wait() {
  std::array<pollfd, 2> wanted{pollfd{command_->output(), POLLIN, 0},
                               pollfd{command_->ended(), POLLIN, 0}};
  ::poll(wanted.data(), wanted.size(),
         schedule_.looks_for_saves() ? tick_while_looking_ms : tick_ms);
}

void ChaosRun::drain() {
  std::array<char, 65536> buffer;
  std::string said;
  while (command_->output() >= 0) {
    const ssize_t got = ::read(command_->output(), buffer.data(), buffer.size());
    if (got == 0) command_->close_output();
    if (got <= 0) break;
    said.append(buffer.data(), static_cast<std::size_t>(got));
  }
  if (said.empty()) return;
  std::ofstream(settings_.folder / "train.log", std::ios::binary | std::ios::app) << said;
  last_words_ += said;
  if (last_words_.size() > words_kept) last_words_.erase(0, last_words_.size() - words_kept);
}

void ChaosRun::look_around(Instant now) {
  if (now - looked_ < look_interval) return;
  looked_ = now;
  if (cluster_)
    take_session(cluster_->session(), running_);
  else
    running_.nodes = nodes_of_run(settings_.runtime_directory);
  const auto doomed = [this](const RunProcess& node) {
    return std::ranges::find(doomed_, node.process) != doomed_.end();
  };
  if (running_.head && doomed(*running_.head)) running_.head.reset();
  std::erase_if(running_.nodes, doomed);
  budget_.look(running_.nodes, now);
  for (const RunProcess& node : running_.nodes) remember(node);
  if (running_.head) remember(*running_.head);
}

void ChaosRun::remember(const RunProcess& process) {
  if (std::ranges::find(known_, process.process, &RunProcess::process) == known_.end())
    known_.push_back(process);
}

Status ChaosRun::read_record(Instant now) {
  const auto lines = record_->read([this](schema::RecordLine::Reader line) {
    outcome_.trace.add(line);
    return ok();
  });
  if (!lines) return lines.error();
  if (*lines > 0) heard_ = now;
  if (outcome_.trace.seals() > seals_then_) faults_in_a_row_ = 0;
  return ok();
}

void ChaosRun::end_what_passed(Instant now) {
  std::erase_if(passing_, [now](const Passing& passing) {
    if (now < passing.until) return false;
    passing.undo();
    return true;
  });
}

void ChaosRun::serve_plan(Instant now) {
  // A job that has ended is not to be disturbed while its command cleans up, and one that has told
  // of its last iteration's evaluation or checkpoint is about to end.
  const bool ends = outcome_.trace.end() || outcome_.trace.reached() >= settings_.plan.iterations();
  if (kill_expected_ || ends) return;
  const bool saving = schedule_.looks_for_saves() && is_saving(settings_.checkpoints);
  const PlannedFault* fault = schedule_.due(now, outcome_.trace.reached(), saving);
  if (!fault || faults_in_a_row_ >= faults_in_a_row_max) return;
  const auto group = victims(*fault, now);
  if (!group.empty()) inject(*fault, group, now);
}

std::vector<RunProcess> ChaosRun::victims(const PlannedFault& fault, Instant now) const {
  const auto choices = fault.target->choices(running_);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const auto& group = choices[(fault.pick + i) % choices.size()];
    if (may_suffer(group, now)) return group;
  }
  return {};
}

bool ChaosRun::may_suffer(const std::vector<RunProcess>& group, Instant now) const {
  // The next command counts anew how often it starts a node.
  if (has_command(group, running_)) return true;
  return std::ranges::all_of(
      group, [&](const RunProcess& process) { return budget_.may_end(process.name, now); });
}

void ChaosRun::inject(const PlannedFault& fault, std::span<const RunProcess> group, Instant now) {
  InjectedFault told{.planned = fault,
                     .at_s = to_seconds(now - started_),
                     .held_back_s = to_seconds(now - schedule_.due_since()),
                     .reached = outcome_.trace.reached(),
                     .while_saving = is_saving(settings_.checkpoints)};
  auto injection = fault.fault->inject(group);
  // Its victims have ended meanwhile: others are looked for.
  if (!injection) return;
  told.done = injection->done;
  if (injection->undo)
    passing_.push_back({now + fault.hold, std::move(injection->undo)});
  else
    for (const RunProcess& victim : group) doomed_.push_back(victim.process);
  if (has_command(group, running_) && !fault.fault->passes) {
    kill_expected_ = true;
    passing_.clear();
  }
  ++faults_in_a_row_;
  seals_then_ = outcome_.trace.seals();
  outcome_.held_back_s += told.held_back_s;
  schedule_.done();
  // Before another is chosen.
  looked_ = {};
  if (settings_.on_fault) settings_.on_fault(told);
  outcome_.injected.push_back(std::move(told));
}

Result<bool> ChaosRun::command_ended(const ProcessExit& exit, Instant now) {
  drain();
  if (const Status read = read_record(now); !read) return read.error();
  // What is stopped heeds no signal that asks.
  std::ranges::for_each(std::exchange(passing_, {}), [](const Passing& each) { each.undo(); });
  if (directory_) outcome_.directory = directory_->stop();
  directory_.reset();
  if (cluster_) cluster_->stop(cluster_grace);
  if (!all_gone(gone_within)) {
    outcome_.end = "processes outlive their command";
    return true;
  }
  if (kill_expected_) {
    heard_ = now;
    const Status begun = start_command();
    return begun ? Result<bool>(false) : begun.error();
  }
  outcome_.ended_well = !exit.by_signal && exit.number == 0;
  outcome_.end = to_string(exit);
  if (!outcome_.ended_well) outcome_.end += "; its last words: " + last_line(last_words_);
  return true;
}

bool ChaosRun::all_gone(Duration within) const {
  const Instant deadline = monotonic_now() + within;
  const auto runs = [](const RunProcess& process) { return is_running(process.process); };
  while (std::ranges::any_of(known_, runs)) {
    if (monotonic_now() > deadline) return false;
    ::poll(nullptr, 0, tick_ms);
  }
  return true;
}

ChaosOutcome ChaosRun::outcome(Instant now) {
  outcome_.seconds = to_seconds(now - started_);
  static_cast<void>(all_gone(gone_within));
  for (const RunProcess& process : known_)
    if (is_running(process.process)) outcome_.left.push_back(process.name);
  return std::move(outcome_);
}

}  // namespace slime::tools
