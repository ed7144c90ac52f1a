#pragma once

#include <capnp/message.h>

#include <cstdint>
#include <functional>
#include <string>

#include "tools/slime/chaos/run_trace.hpp"

namespace slime::tests {

/// A made-up record, told line by line: of two epochs of 40 samples in iterations of 16, 16 and 8.
struct ToldRun {
  static constexpr trainer::WorkPlan plan{.samples = 40, .batch = 16, .block = 8, .epochs = 2};

  explicit ToldRun(bool committed = true) : trace(plan, committed) {}

  tools::RunTrace trace;

  void line(const std::function<void(schema::RecordLine::Builder)>& fill) {
    capnp::MallocMessageBuilder message;
    auto root = message.initRoot<schema::RecordLine>();
    fill(root);
    trace.add(root.asReader());
  }
  void begins(bool resume = false) {
    line([resume](auto root) { root.initHeader().setResume(resume); });
  }
  /// @param reason  Why it goes on without a rollback.
  void starts(std::uint64_t at, const std::string& reason = "") {
    line([&](auto root) {
      auto start = root.initEntry().initStarted();
      start.setIteration(at);
      start.setIterations(plan.iterations());
      start.setReason(reason);
    });
  }
  void seals(std::uint32_t worker, std::uint64_t iteration, std::uint32_t samples,
             std::uint32_t lead = 0) {
    line([=](auto root) {
      auto group = root.initEntry().initGroup();
      group.setWorker(worker);
      group.setIteration(iteration);
      group.setSamples(samples);
      group.setLead(lead);
    });
  }
  void loses(std::uint32_t worker) {
    line([worker](auto root) { root.initEntry().initGone().setWorker(worker); });
  }
  void rolls_back(std::uint64_t from, std::uint64_t to) {
    line([=](auto root) {
      auto back = root.initEntry().initRolledBack();
      back.setFromIteration(from);
      back.setToIteration(to);
    });
  }
  void saves(std::uint64_t iteration) {
    line([iteration](auto root) { root.initEntry().initCheckpoint().setIteration(iteration); });
  }
  void forgets() {
    line([](auto root) { root.initGap().setLost(3); });
  }
  void ends(bool well = true) {
    line([well](auto root) {
      auto end = root.initEnd();
      end.setState(well ? schema::JobState::FINISHED : schema::JobState::FAILED);
      end.setReason(well ? "" : "out of paper");
      auto progress = end.initProgress();
      progress.setIteration(plan.iterations());
      progress.setSamples(plan.samples * plan.epochs);
      progress.setParametersSha256("abc");
    });
  }
  /// Two workers do the iterations from `from` to the one before `to`.
  void trains(std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t i = from; i < to; ++i) {
      seals(0, i, plan.samples_in(i) / 2);
      seals(1, i, plan.samples_in(i) / 2);
    }
  }
  /// A whole run that nothing happens to.
  void goes_well() {
    begins();
    starts(0);
    trains(0, plan.iterations());
    saves(plan.iterations());
    ends();
  }
};

}  // namespace slime::tests
