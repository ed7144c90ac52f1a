#include "actors/training/job_history.hpp"

#include <algorithm>
#include <cmath>

namespace slime::actors {

namespace {

void write_account(const WorkerAccount& account, schema::WorkerAccount::Builder root,
                   bool with_lives) {
  root.setSamples(account.samples);
  root.setBusySeconds(account.busy_s);
  root.setPresentSeconds(account.present_s);
  if (account.joined_s) root.setJoinedSeconds(*account.joined_s);
  if (!with_lives) return;
  auto lives = root.initLives(static_cast<unsigned>(account.lives.size()));
  for (unsigned i = 0; i < lives.size(); ++i) {
    lives[i].setJoinSeconds(account.lives[i].join_s);
    lives[i].setDeathSeconds(account.lives[i].death_s);
  }
}

WorkerAccount read_account(WorkerId worker, schema::WorkerAccount::Reader root) {
  WorkerAccount account{.samples = root.getSamples(),
                        .busy_s = root.getBusySeconds(),
                        .present_s = root.getPresentSeconds(),
                        .joined_s = {},
                        .lives = {}};
  if (!std::isnan(root.getJoinedSeconds())) account.joined_s = root.getJoinedSeconds();
  for (const auto life : root.getLives())
    account.lives.push_back({worker, life.getJoinSeconds(), life.getDeathSeconds()});
  return account;
}

}  // namespace

void WorkerAccount::join(WorkerId worker, double run_s) {
  if (!joined_s) joined_s = run_s;
  if (lives.empty() || std::isfinite(lives.back().death_s))
    lives.push_back({.worker = worker, .join_s = run_s});
}

void WorkerAccount::pause(double run_s) {
  if (!lives.empty() && !std::isfinite(lives.back().death_s)) lives.back().death_s = run_s;
}

void WorkerAccount::leave(double run_s) {
  present_s = present(run_s);
  joined_s.reset();
  pause(run_s);
}

JobHistory::JobHistory(std::size_t places, const std::vector<double>& targets) : workers(places) {
  for (const double target : targets)
    target_seconds[target] = std::numeric_limits<double>::quiet_NaN();
}

void JobHistory::evaluated(std::uint64_t at, double accuracy_then, double loss_then, double run_s) {
  accuracy = accuracy_then;
  loss = loss_then;
  evaluated_at = static_cast<std::int64_t>(at);
  for (auto& [target, seconds] : target_seconds)
    if (std::isnan(seconds) && accuracy >= target) seconds = run_s;
}

void JobHistory::rolled_back(std::uint64_t reached, std::uint64_t back_to) {
  ++rollbacks;
  costs.failed();
  lost_iterations += reached - std::min(reached, back_to);
  // The parameters it measured are gone, and the ones that come instead may differ.
  if (evaluated_at > static_cast<std::int64_t>(back_to)) evaluated_at = -1;
}

void JobHistory::write(schema::JobHistory::Builder root, bool with_lives) const {
  root.setFirstIteration(first_iteration.value_or(0));
  auto accounts = root.initWorkers(static_cast<unsigned>(workers.size()));
  for (unsigned i = 0; i < accounts.size(); ++i) write_account(workers[i], accounts[i], with_lives);
  root.setAccuracy(accuracy);
  root.setLoss(loss);
  root.setEvaluatedAt(evaluated_at);
  auto targets = root.initTargets(static_cast<unsigned>(target_seconds.size()));
  unsigned at = 0;
  for (const auto& [target, seconds] : target_seconds) {
    targets[at].setAccuracy(target);
    targets[at++].setSeconds(seconds);
  }
  root.setRollbacks(rollbacks);
  root.setLostIterations(lost_iterations);
  root.setRefusedPushes(refused_pushes);
  root.setResumedFrom(resumed_from);
  root.setCheckpointsLate(checkpoints_late);
  costs.write(root.initCheckpointCosts());
  root.setResumedTerm(resumed_term);
  root.setCopied(copied);
  root.setCopiesFailed(copies_failed);
}

void JobHistory::take_up(schema::JobHistory::Reader root) {
  first_iteration = root.getFirstIteration();
  const auto accounts = root.getWorkers();
  for (std::uint32_t i = 0; i < std::min<std::size_t>(workers.size(), accounts.size()); ++i)
    workers[i] = read_account(WorkerId{i}, accounts[i]);
  accuracy = root.getAccuracy();
  loss = root.getLoss();
  evaluated_at = root.getEvaluatedAt();
  for (const auto target : root.getTargets())
    target_seconds[target.getAccuracy()] = target.getSeconds();
  rollbacks = root.getRollbacks();
  lost_iterations = root.getLostIterations();
  refused_pushes = root.getRefusedPushes();
  resumed_from = root.getResumedFrom();
  checkpoints_late = root.getCheckpointsLate();
  costs.take_up(root.getCheckpointCosts());
  resumed_term = root.getResumedTerm();
  copied = root.getCopied();
  copies_failed = root.getCopiesFailed();
}

}  // namespace slime::actors
