#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "runtime/base/error.hpp"

namespace slime::tools {

/// Where a command takes the cluster's secret from; the first that is given counts.
struct TokenSource {
  int descriptor = -1;
  std::filesystem::path file;
  std::filesystem::path session;  ///< Folder; never empty.
};

/// What a command shows to a cluster.
struct FoundToken {
  std::string text;              ///< Empty: nobody named one and the session holds none.
  std::optional<Error> missing;  ///< Why it is empty.
  std::string source;            ///< For people: "file secret".

  /// `why`, and where it says that the token is not the cluster's, which was shown, if any.
  Error explain(const Error& why) const;
};

/// Looks for the secret of a cluster elsewhere. That there is none is no error yet: whether anybody
/// listens at the address, and speaks our language, is found out first.
/// Blocks on the disk, or on the descriptor's writer. Errors: not_found (no such file),
/// invalid_argument (empty or over 4 KiB), io_error, refused (the session belongs to
/// somebody else).
Result<FoundToken> find_token(const TokenSource& source);

}  // namespace slime::tools
