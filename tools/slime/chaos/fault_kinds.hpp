#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/base/error.hpp"
#include "tools/slime/chaos/run_processes.hpp"

namespace slime::tools {

/// What an injected fault did.
struct Injection {
  std::string done;            ///< "SIGKILL to worker-0 (pid 123)".
  std::function<void()> undo;  ///< Ends a fault that passes; empty otherwise. Any number of times.
};

/// One kind of fault. To add one: write its function and add a line to the list.
struct FaultKind {
  std::string_view name;
  std::string_view doc;
  bool passes;  ///< It lasts as long as was drawn, and is undone then.
  /// Does it to all of `victims`, the first one first. Blocks for no longer than a system call.
  /// Errors: not_found (none of them runs any more).
  Result<Injection> (*inject)(std::span<const RunProcess> victims);
};

/// All of them.
std::span<const FaultKind> fault_kinds();

}  // namespace slime::tools
