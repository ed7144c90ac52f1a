#pragma once

#include "runtime/actor/catalogue.hpp"

namespace slime::actors {

/// Every actor type that training needs, for the catalogue of a node.
runtime::Catalogue training_types();

}  // namespace slime::actors
