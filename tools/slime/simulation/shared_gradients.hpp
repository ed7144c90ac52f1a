#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "actors/training/gradient_source.hpp"

namespace slime::tools {

/// Data and model of a run, made once for all its workers, who live in one thread. Outlives the
/// workers.
class SharedGradients {
 public:
  /// Samples of one number each, in two classes: what is computed takes emulated time, whatever it
  /// is. @param samples  Of the training set.
  explicit SharedGradients(std::uint64_t samples);
  /// Samples that are given, for whoever looks at what is computed.
  explicit SharedGradients(trainer::TrainingData data) : data_(std::move(data)) {}

  /// For one worker; it gets what the first one opened.
  std::unique_ptr<actors::GradientSource> source();

 private:
  class Source;

  Result<trainer::BlockGradients*> open(const trainer::BlockGradients::Settings& settings);

  trainer::TrainingData data_;  ///< The model gets a copy.
  std::unique_ptr<trainer::BlockGradients> gradients_;
};

}  // namespace slime::tools
