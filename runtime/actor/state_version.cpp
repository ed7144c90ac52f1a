#include "runtime/actor/state_version.hpp"

#include <algorithm>
#include <cstdio>

namespace slime::runtime {

namespace {

std::string hex(std::uint64_t type) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(type));
  return text;
}

}  // namespace

Result<AnyMessage> as_version(VersionedState kept, std::uint64_t type, std::uint32_t version,
                              std::span<const Upcaster> upcasters) {
  const std::string from = "the state that is kept is of version " + std::to_string(kept.version);
  if (kept.version > version)
    return Error{Errc::incompatible, from + " and this program knows up to " +
                                         std::to_string(version) +
                                         "; run the program that wrote it, or a later one"};
  for (; kept.version < version; ++kept.version) {
    const auto step = std::ranges::find(upcasters, kept.version, &Upcaster::from);
    if (step == upcasters.end())
      return Error{Errc::incompatible, from + " and this program has no upcaster from version " +
                                           std::to_string(kept.version) + " to " +
                                           std::to_string(kept.version + 1)};
    auto next = step->convert(kept.state);
    if (!next)
      return Error{next.error().code, from + ", and making version " +
                                          std::to_string(kept.version + 1) +
                                          " of it failed: " + next.error().context};
    kept.state = std::move(*next);
  }
  if (kept.state.type != type)
    return Error{Errc::incompatible, from + " and of type " + hex(kept.state.type) +
                                         ", where this program expects type " + hex(type) +
                                         ": another actor has the name, or the type's id was "
                                         "changed without a new version"};
  return std::move(kept.state);
}

}  // namespace slime::runtime
