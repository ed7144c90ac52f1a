#pragma once

#include "tools/slime/settings/job_rules.hpp"

namespace slime::tools {

/// The modes, policies and so on that this program was built with.
KnownNames known_names();

}  // namespace slime::tools
