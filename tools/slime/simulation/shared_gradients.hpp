#pragma once

#include <cstdint>
#include <memory>

#include "actors/training/gradient_source.hpp"

namespace slime::tools {

/// Data and model of a run, made once for all its workers, who live in one thread. The samples are
/// one number each, in two classes: what is computed takes emulated time, whatever it is. Outlives
/// the workers.
class SharedGradients {
 public:
  /// @param samples  Of the training set.
  explicit SharedGradients(std::uint64_t samples) : samples_(samples) {}

  /// For one worker; it gets what the first one opened.
  std::unique_ptr<actors::GradientSource> source();

 private:
  class Source;

  Result<trainer::BlockGradients*> open(const trainer::BlockGradients::Settings& settings);

  std::uint64_t samples_;
  std::unique_ptr<trainer::BlockGradients> gradients_;
};

}  // namespace slime::tools
