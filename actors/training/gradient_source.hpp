#pragma once

#include <memory>
#include <utility>

#include "trainer/gradient/block_gradients.hpp"

namespace slime::actors {

/// Where a worker gets what it computes with. Belongs to its worker.
class GradientSource {
 public:
  virtual ~GradientSource() = default;

  /// What it gives lives as long as the source. Blocks on the disk. Errors: as
  /// `BlockGradients::make`.
  virtual Result<trainer::BlockGradients*> open(
      const trainer::BlockGradients::Settings& settings) = 0;
};

/// Loads them for this worker alone, as one on a machine of its own does.
class OwnGradients final : public GradientSource {
 public:
  Result<trainer::BlockGradients*> open(
      const trainer::BlockGradients::Settings& settings) override {
    auto made = trainer::BlockGradients::make(settings);
    if (!made) return made.error();
    gradients_ = std::move(made).value();
    return gradients_.get();
  }

 private:
  std::unique_ptr<trainer::BlockGradients> gradients_;
};

}  // namespace slime::actors
