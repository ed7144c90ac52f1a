#pragma once

#include <span>
#include <string_view>

#include "runtime/actor/catalogue.hpp"

namespace slime::tools {

/// A bug on purpose, to see that it is found. To add one: write its function and add a line to the
/// list.
struct PlantedBug {
  std::string_view name;
  std::string_view doc;
  /// The same actor types, one of them with the bug.
  runtime::Catalogue (*under)(runtime::Catalogue catalogue);
};

/// All of them.
std::span<const PlantedBug> planted_bugs();

}  // namespace slime::tools
