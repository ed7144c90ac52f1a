#include "tools/slime/exchange/name_globs.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "tools/slime/exchange/tensor_listing.hpp"

namespace slime::tools {

namespace {

bool matches(const std::string& glob, const std::string& name) {
  return ::fnmatch(glob.c_str(), name.c_str(), 0) == 0;
}

}  // namespace

bool NameGlobs::match(const std::string& name) const {
  return globs_.empty() || std::ranges::any_of(globs_, [&name](const std::string& glob) {
           return matches(glob, name);
         });
}

Status NameGlobs::check(std::span<const std::string> names) const {
  for (const std::string& glob : globs_)
    if (std::ranges::none_of(names, [&](const std::string& name) { return matches(glob, name); }))
      return Error{Errc::invalid_argument, fmt::format("--only: no tensor is called \"{}\"; {}",
                                                       glob, tensor_advice(glob, names))};
  return ok();
}

}  // namespace slime::tools
