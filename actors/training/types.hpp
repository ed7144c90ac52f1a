#pragma once

#include "actors/training/usage_meter.hpp"
#include "runtime/actor/catalogue.hpp"

namespace slime::actors {

/// Every actor type that training needs, for the catalogue of a node.
/// @param usage  What workers report of their machine; empty: nothing.
runtime::Catalogue training_types(const UsageMeter::Source& usage = {});

}  // namespace slime::actors
