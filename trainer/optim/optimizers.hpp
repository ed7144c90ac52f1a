#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "runtime/base/error.hpp"
#include "trainer/optim/optimizer.hpp"

namespace slime::trainer {

/// What optimizers are made from; each takes what it needs.
struct OptimizerSettings {
  double momentum = 0;      ///< [0, 1)
  double weight_decay = 0;  ///< [0, inf)
};

/// Names of all optimizers.
std::span<const std::string_view> optimizer_names();

/// Errors: invalid_argument (no such name, or a setting out of its range).
Result<std::unique_ptr<Optimizer>> make_optimizer(std::string_view name,
                                                  const OptimizerSettings& settings);

}  // namespace slime::trainer
