#pragma once

#include <filesystem>
#include <string>

#include "runtime/base/error.hpp"

namespace slime::tools {

/// Where a command takes the cluster's secret from; the first that is given counts.
struct TokenSource {
  int descriptor = -1;
  std::filesystem::path file;
  std::filesystem::path session;  ///< Folder; never empty.
};

/// Blocks on the disk, or on the descriptor's writer. Errors: not_found (no such file, or none in
/// the session), invalid_argument (empty or over 4 KiB), io_error, refused (the session belongs to
/// somebody else).
Result<std::string> find_token(const TokenSource& source);

}  // namespace slime::tools
