#pragma once

#include "runtime/base/error.hpp"
#include "schemas/scenario.capnp.h"
#include "tools/slime/settings/job_rules.hpp"
#include "tools/slime/settings/origin.hpp"

namespace slime::tools {

/// Whether settings that are each of the right type make a scenario together. The first rule that
/// is broken is reported, with the place that set the offending value. Errors: invalid_argument.
Status check_scenario(schema::Scenario::Reader scenario, const KnownNames& known,
                      const Origins& origins);

}  // namespace slime::tools
