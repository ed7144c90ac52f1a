#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "runtime/base/ids.hpp"

namespace slime::actors {

/// One evaluation of the test set, shared out to workers in chunks. A chunk whose worker is lost is
/// given out again; each chunk counts once.
class EvaluationRound {
 public:
  struct Chunk {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
  };

  /// @param version  Of the parameters that are evaluated.
  EvaluationRound(std::uint64_t number, std::uint64_t version, std::uint64_t samples,
                  std::uint64_t chunk)
      : number_(number), version_(version), samples_(samples) {
    for (std::uint64_t first = 0; first < samples; first += chunk)
      waiting_.emplace(first, std::min(chunk, samples - first));
  }

  std::uint64_t number() const { return number_; }
  std::uint64_t version() const { return version_; }

  /// A chunk for `worker`, the same one until it is returned or lost; none when all are given out.
  std::optional<Chunk> take(WorkerId worker) {
    if (const auto given = given_.find(worker); given != given_.end()) return given->second;
    if (waiting_.empty()) return std::nullopt;
    const auto [first, count] = *waiting_.begin();
    waiting_.erase(waiting_.begin());
    return given_[worker] = Chunk{first, count};
  }

  void lose(WorkerId worker) {
    if (const auto given = given_.extract(worker))
      waiting_.emplace(given.mapped().first, given.mapped().count);
  }

  /// Losses are summed in the order of the chunks, so the result does not depend on who was first.
  void put(WorkerId worker, std::uint64_t first, std::uint64_t correct, double loss_sum) {
    const auto given = given_.find(worker);
    if (given == given_.end() || given->second.first != first) return;
    given_.erase(given);
    correct_ += correct;
    losses_[first] = loss_sum;
  }

  bool done() const { return waiting_.empty() && given_.empty(); }
  double accuracy() const { return static_cast<double>(correct_) / static_cast<double>(samples_); }
  double loss() const {
    double sum = 0;
    for (const auto& [first, loss] : losses_) sum += loss;
    return sum / static_cast<double>(samples_);
  }

 private:
  std::uint64_t number_;
  std::uint64_t version_;
  std::uint64_t samples_;
  std::map<std::uint64_t, std::uint64_t> waiting_;
  std::map<WorkerId, Chunk> given_;
  std::map<std::uint64_t, double> losses_;
  std::uint64_t correct_ = 0;
};

}  // namespace slime::actors
