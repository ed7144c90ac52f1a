#pragma once

#include "runtime/base/error.hpp"

namespace slime::tools {

/// What `slime` ends with, so that scripts can branch without reading text. Never renumbered.
/// A process that ends by a signal gives 128 + its number, as shells have it.
enum class ExitCode : int {
  ok = 0,
  failure = 1,        ///< It was tried and did not work; the message says why.
  usage = 2,          ///< The command line or a job's settings are wrong.
  partial = 3,        ///< Some of the targets failed; the output lists which.
  not_found = 4,      ///< The named cluster, job, actor, checkpoint or file does not exist.
  conflict = 5,       ///< It exists already or is in use.
  deadline = 6,       ///< Not done within the time allowed.
  unreachable = 7,    ///< Nothing answers at the address.
  not_ready = 8,      ///< It answers and says that it is not ready or not healthy.
  corrupt = 9,        ///< Stored data is not what was written.
  incompatible = 10,  ///< Version, schema or plugin ABI do not fit together.
  denied = 11,        ///< Wrong token or missing permission.
  try_again = 75,     ///< Overloaded or draining: the same command may work later.
};

/// The exit code for an operation that failed with `code`.
constexpr ExitCode exit_code(Errc code) {
  switch (code) {
    case Errc::invalid_argument:
      return ExitCode::usage;
    case Errc::not_found:
      return ExitCode::not_found;
    case Errc::already_exists:
      return ExitCode::conflict;
    case Errc::unavailable:
      return ExitCode::unreachable;
    case Errc::timeout:
      return ExitCode::deadline;
    case Errc::overloaded:
      return ExitCode::try_again;
    case Errc::stale:
      return ExitCode::conflict;
    case Errc::corruption:
      return ExitCode::corrupt;
    case Errc::refused:
      return ExitCode::denied;
    case Errc::incompatible:
      return ExitCode::incompatible;
    case Errc::diverged:
    case Errc::io_error:
    case Errc::internal:
      return ExitCode::failure;
  }
  return ExitCode::failure;
}

/// The exit code of a process that ends because of `signal`, as shells have it.
constexpr ExitCode exit_code_of_signal(int signal) {
  return static_cast<ExitCode>(128 + signal);
}

}  // namespace slime::tools
