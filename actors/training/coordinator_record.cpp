#include "actors/training/coordinator.hpp"

namespace slime::actors {

namespace {

// Written in well under a millisecond, so that nobody's lease waits for it.
constexpr std::size_t entries_told_at_once = 1024;
// A decision of many workers is long.
constexpr std::size_t bytes_told_at_once = std::size_t{256} << 10;
constexpr std::size_t reason_bytes_max = 300;

}  // namespace

void CoordinatorActor::get_record(const Message<schema::GetRecord>& request,
                                  Reply<schema::Record> reply) {
  const std::uint64_t from = request.read([](auto read) { return read.getFrom(); });
  reply.send(record_.tell(from, entries_told_at_once, bytes_told_at_once));
}

void CoordinatorActor::note_start(std::uint64_t iteration, const std::string& reason) {
  record_.add(run_seconds(), [&](schema::RecordEntry::Builder entry) {
    auto started = entry.initStarted();
    started.setTerm(term_);
    started.setIteration(iteration);
    started.setIterations(ledger_->plan().iterations());
    if (!reason.empty()) started.setReason(shortened(reason, reason_bytes_max));
  });
}

void CoordinatorActor::note_seal(schema::Measurement::Reader measured, bool accepted) {
  const std::uint64_t iteration = measured.getIteration();
  const std::uint64_t frontier = ledger_->frontier();
  record_.add(run_seconds(), [&](schema::RecordEntry::Builder entry) {
    auto group = entry.initGroup();
    group.setWorker(measured.getWorker());
    group.setIteration(iteration);
    group.setSamples(accepted ? measured.getSamples() : 0);
    group.setLead(static_cast<std::uint32_t>(iteration > frontier ? iteration - frontier : 0));
    group.setComputeSeconds(static_cast<float>(measured.getComputeSeconds()));
    group.setFetchSeconds(static_cast<float>(measured.getFetchSeconds()));
    group.setPushSeconds(static_cast<float>(measured.getPushSeconds()));
    group.setWaitSeconds(static_cast<float>(measured.getWaitSeconds()));
  });
}

void CoordinatorActor::note_shares() {
  std::map<WorkerId, schema::WorkerLoad::Reader> known;
  loads_.read([&](schema::Loads::Reader loads) {
    for (const auto load : loads.getWorkers())
      if (load.getMeasured()) known.emplace(WorkerId{load.getWorker()}, load);
    record_.add(run_seconds(), [&](schema::RecordEntry::Builder entry) {
      auto decision = entry.initShares();
      decision.setIteration(loads.getIteration());
      auto workers = decision.initWorkers(static_cast<unsigned>(next_shares_.size()));
      unsigned at = 0;
      for (const auto& [worker, blocks] : next_shares_) {
        auto share = workers[at++];
        share.setWorker(static_cast<std::uint32_t>(worker));
        share.setBlocks(blocks);
        const auto load = known.find(worker);
        if (load == known.end()) continue;
        share.setMeasured(true);
        share.setFixedSeconds(static_cast<float>(load->second.getFixedSeconds()));
        share.setSecondsPerSample(static_cast<float>(load->second.getSecondsPerSample()));
        share.setNoise(static_cast<float>(load->second.getNoise()));
      }
    });
  });
}

void CoordinatorActor::note_evaluation() {
  record_.add(run_seconds(), [this](schema::RecordEntry::Builder entry) {
    auto result = entry.initEvaluation();
    const auto iteration = static_cast<std::uint64_t>(history_.evaluated_at);
    result.setIteration(iteration);
    result.setSamples(ledger_->plan().samples_before(iteration));
    result.setAccuracy(history_.accuracy);
    result.setLoss(history_.loss);
  });
}

void CoordinatorActor::note_joined(std::uint32_t worker) {
  record_.add(run_seconds(), [worker](schema::RecordEntry::Builder entry) {
    entry.initJoined().setWorker(worker);
  });
}

void CoordinatorActor::note_gone(std::uint32_t worker, const std::string& why) {
  record_.add(run_seconds(), [&](schema::RecordEntry::Builder entry) {
    auto gone = entry.initGone();
    gone.setWorker(worker);
    gone.setReason(shortened(why, reason_bytes_max));
  });
}

void CoordinatorActor::note_rollback(std::uint64_t from, std::uint64_t to, const std::string& why) {
  record_.add(run_seconds(), [&](schema::RecordEntry::Builder entry) {
    auto rolled_back = entry.initRolledBack();
    rolled_back.setFromIteration(from);
    rolled_back.setToIteration(to);
    rolled_back.setReason(shortened(why, reason_bytes_max));
  });
}

void CoordinatorActor::note_checkpoint() {
  record_.add(run_seconds(), [this](schema::RecordEntry::Builder entry) {
    auto saved = entry.initCheckpoint();
    saved.setIteration(static_cast<std::uint64_t>(last_checkpoint_));
    saved.setLostSeconds(static_cast<float>(history_.costs.lost_s()));
    saved.setWriteSeconds(static_cast<float>(history_.costs.write_s()));
    if (computes_interval())
      saved.setIntervalSeconds(
          static_cast<float>(history_.costs.interval_s(job().getCheckpoint(), run_seconds())));
    saved.setLate(history_.checkpoints_late);
  });
}

}  // namespace slime::actors
