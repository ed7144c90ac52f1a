#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/base/error.hpp"

namespace slime::tools {

/// Patterns of names as a shell has them ("0.*", "*.weight"); none at all means every name.
class NameGlobs {
 public:
  NameGlobs() = default;
  explicit NameGlobs(std::vector<std::string> globs) : globs_(std::move(globs)) {}

  bool match(const std::string& name) const;
  /// Refuses a pattern that matches none of `names`, for it is a slip. Errors: invalid_argument.
  Status check(std::span<const std::string> names) const;

 private:
  std::vector<std::string> globs_;
};

}  // namespace slime::tools
