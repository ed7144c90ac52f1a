#pragma once

#include <functional>
#include <memory>

#include "actors/training/gradient_source.hpp"
#include "actors/training/usage_meter.hpp"
#include "runtime/actor/catalogue.hpp"

namespace slime::actors {

/// Called for each worker.
using MakeGradientSource = std::function<std::unique_ptr<GradientSource>()>;

/// What workers are given by whoever builds the catalogue.
struct WorkerParts {
  MakeGradientSource make_source = [] { return std::make_unique<OwnGradients>(); };
  UsageMeter::Source usage{};  ///< What they report of their machine; empty: nothing.
};

/// Every actor type that training needs, for the catalogue of a node.
runtime::Catalogue training_types(const WorkerParts& parts = {});

}  // namespace slime::actors
