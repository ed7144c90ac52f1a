#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tools/slime/chaos/chaos_outcome.hpp"

namespace slime::tools {

/// Whether a promise was kept.
struct Verdict {
  enum class Kind : std::uint8_t { met, violated, void_here };

  Kind kind = Kind::met;
  std::string evidence;  ///< What it was judged by, with numbers.
};

std::string_view to_string(Verdict::Kind kind);

/// Something that must hold whatever faults a job meets. To add one: write its function and add a
/// line to the list.
struct Invariant {
  std::string_view name;
  std::string_view doc;
  Verdict (*check)(const ChaosOutcome& outcome);
};

/// All of them.
std::span<const Invariant> invariants();

}  // namespace slime::tools
