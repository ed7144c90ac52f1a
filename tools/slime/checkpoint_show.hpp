#pragma once

#include <span>
#include <string>

#include "tools/slime/console.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::tools {

/// `slime checkpoint show`: tells what one checkpoint holds. Changes nothing; the stores may be in
/// use. Exit codes: ok, not_found (no such checkpoint), corrupt (its manifest, or a part's record),
/// usage, failure.
ExitCode run_checkpoint_show(std::span<const std::string> arguments, const Console& console);

}  // namespace slime::tools
