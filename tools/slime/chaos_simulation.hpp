#pragma once

#include "tools/slime/chaos_options.hpp"

namespace slime::tools {

/// `slime chaos --simulate`: many small jobs in virtual time, each with the faults of its seed.
/// Returns failure where an invariant is violated. Blocks until all seeds have run.
ExitCode run_chaos_simulation(const ChaosOptions& options, const Console& console);

}  // namespace slime::tools
