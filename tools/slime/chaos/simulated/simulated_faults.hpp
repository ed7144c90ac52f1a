#pragma once

#include <span>
#include <string_view>

#include "runtime/base/random.hpp"
#include "tools/slime/chaos/simulated/stage.hpp"

namespace slime::tools {

/// One kind of harm to a simulated cluster. To add one: write its function and add a line to the
/// list.
struct SimulatedFault {
  std::string_view name;
  std::string_view doc;
  /// Does it, or arms it; what passes undoes itself. Draws whom it hits, and for how long, from
  /// `random`. Returns whether there was anybody to do it to.
  bool (*strike)(Stage& stage, Random& random);
};

/// All of them.
std::span<const SimulatedFault> simulated_faults();

}  // namespace slime::tools
