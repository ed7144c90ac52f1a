#pragma once

#include <functional>
#include <memory>

#include "actors/training/gradient_source.hpp"
#include "runtime/actor/catalogue.hpp"

namespace slime::actors {

/// Called for each worker.
using MakeGradientSource = std::function<std::unique_ptr<GradientSource>()>;

/// Every actor type that training needs, for the catalogue of a node.
runtime::Catalogue training_types(const MakeGradientSource& make_source = [] {
  return std::make_unique<OwnGradients>();
});

}  // namespace slime::actors
