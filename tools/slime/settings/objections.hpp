#pragma once

#include <span>
#include <string_view>

#include "runtime/base/error.hpp"
#include "tools/slime/settings/origin.hpp"

namespace slime::tools {

/// What rules that go over several settings have in common: errors that start at the place which
/// set the offending value.
class Objections {
 public:
  /// `origins` must outlive it.
  explicit Objections(const Origins& origins) : origins_(origins) {}

  /// Whether somebody set `setting`, be it to its default.
  bool was_set(std::string_view setting) const { return origins_.contains(setting); }
  /// invalid_argument: where `setting` was set, when it was; its name; `why`.
  Error broken(std::string_view setting, std::string_view why) const;
  /// Errors: invalid_argument (`word` is none of `words`; names the nearest one).
  Status known_word(std::string_view setting, std::string_view word,
                    std::span<const std::string_view> words) const;

 private:
  const Origins& origins_;
};

}  // namespace slime::tools
