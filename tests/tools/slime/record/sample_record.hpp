#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/slime/record/record_line.hpp"
#include "tools/slime/record/story_reader.hpp"

namespace slime::tests {

inline std::string header_line(const std::string& name = "sample", std::uint32_t workers = 2) {
  return tools::record_line([&](schema::RecordLine::Builder line) {
    auto header = line.initHeader();
    header.setFormatVersion(1);
    header.setSlimeVersion("0.1");
    header.setRun(0xabc);
    header.setStartedUs(1'780'000'000'000'000);
    auto job = header.initJob();
    job.setName(name);
    job.setWorkers(workers);
    job.setShards(3);
    job.initSync().setMode("a_dsp");
    job.initBalance().setPolicy("adapt_fr");
    job.initTargetAccuracies(2).set(0, 0.5);
    job.getTargetAccuracies().set(1, 0.99);
  });
}

inline std::string entry_line(double run_s,
                              const std::function<void(schema::RecordEntry::Builder)>& fill) {
  return tools::record_line([&](schema::RecordLine::Builder line) {
    auto entry = line.initEntry();
    entry.setRunSeconds(run_s);
    fill(entry);
  });
}

inline std::string group_line(double run_s, std::uint32_t worker, std::uint64_t iteration,
                              float compute_s) {
  return entry_line(run_s, [&](schema::RecordEntry::Builder entry) {
    auto group = entry.initGroup();
    group.setWorker(worker);
    group.setIteration(iteration);
    group.setSamples(32);
    group.setLead(worker);
    group.setComputeSeconds(compute_s);
    group.setFetchSeconds(compute_s / 8);
    group.setPushSeconds(compute_s / 4);
    group.setWaitSeconds(compute_s / 2);
  });
}

inline std::string gone_line(double run_s, std::uint32_t worker, const std::string& why) {
  return entry_line(run_s, [&](schema::RecordEntry::Builder entry) {
    entry.initGone().setWorker(worker);
    entry.getGone().setReason(why);
  });
}

inline std::string shares_line(double run_s, const std::vector<std::uint32_t>& blocks) {
  return entry_line(run_s, [&](schema::RecordEntry::Builder entry) {
    auto decision = entry.initShares();
    decision.setIteration(7);
    auto workers = decision.initWorkers(static_cast<unsigned>(blocks.size()));
    for (unsigned i = 0; i < blocks.size(); ++i) {
      workers[i].setWorker(i);
      workers[i].setBlocks(blocks[i]);
      workers[i].setMeasured(i == 0);
      workers[i].setSecondsPerSample(0.25F);
    }
  });
}

inline std::string evaluation_line(double run_s, std::uint64_t samples, double accuracy) {
  return entry_line(run_s, [&](schema::RecordEntry::Builder entry) {
    auto result = entry.initEvaluation();
    result.setSamples(samples);
    result.setAccuracy(accuracy);
  });
}

inline std::string end_line(double run_s) {
  return tools::record_line([&](schema::RecordLine::Builder line) {
    line.initEnd().setState(schema::JobState::FINISHED);
    auto progress = line.getEnd().initProgress();
    progress.setRunSeconds(run_s);
    progress.setIteration(20);
    progress.setIdealSeconds(run_s / 2);
    progress.setTestAccuracy(0.75);
    progress.initTargets(1)[0].setAccuracy(0.5);
    progress.getTargets()[0].setSeconds(4);
    auto workers = progress.initWorkers(2);
    workers[0].setSamples(400);
    workers[1].setWorker(1);
    workers[1].setSamples(240);
    workers[1].setIdleFraction(0.25);
  });
}

/// Two workers for ten seconds, one of which dies on the way.
inline std::string sample_record(const std::string& name = "sample") {
  std::string text = header_line(name);
  text += entry_line(0, [](schema::RecordEntry::Builder entry) {
    entry.initStarted().setTerm(1);
    entry.getStarted().setIterations(20);
  });
  for (std::uint32_t worker : {0U, 1U})
    text += entry_line(
        0, [worker](schema::RecordEntry::Builder entry) { entry.initJoined().setWorker(worker); });
  text += shares_line(0, {2, 2});
  for (std::uint64_t i = 1; i <= 10; ++i) {
    text += group_line(static_cast<double>(i) - 0.5, 0, i, 0.5);
    text += group_line(static_cast<double>(i), 1, i, 0.75);
    if (i == 4) text += shares_line(4, {3, 1});
    if (i % 5 == 0) text += evaluation_line(static_cast<double>(i), i * 64, 0.06 * double(i));
  }
  text += gone_line(10, 1, "worker 1 died: by the test");
  text += entry_line(10, [](schema::RecordEntry::Builder entry) {
    entry.initRolledBack().setFromIteration(10);
    entry.getRolledBack().setReason("a shard died");
  });
  return text;
}

/// What a reader makes of these lines.
inline Result<tools::RunStory> read_lines(const std::string& text,
                                          const tools::StoryLimits& limits = {}) {
  tools::StoryReader reader(limits);
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = text.find('\n', from);
    if (const Status taken = reader.add(std::string_view(text).substr(from, end - from)); !taken)
      return taken.error();
    from = end + 1;
  }
  return std::move(reader).finish();
}

}  // namespace slime::tests
