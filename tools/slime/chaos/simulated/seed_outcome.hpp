#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/error.hpp"

namespace slime::tools {

/// What became of one seed. Plain data; equal whenever the seed is run again by the same rules.
struct SeedOutcome {
  struct Violation {
    std::string invariant;
    std::string evidence;

    bool operator==(const Violation&) const = default;
  };

  std::uint64_t seed = 0;
  std::string drawn{};                             ///< What followed from the seed, for people.
  std::map<std::string, std::uint32_t> strikes{};  ///< Faults that met somebody, by name.
  std::vector<Violation> violations{};
  double seconds = 0;  ///< Virtual, until the job was over.
  std::uint64_t deliveries = 0;
  std::vector<std::string> log{};  ///< Of a violation: what actors logged last.
  std::string hash{};  ///< Of every delivery, its time and its actors, in 16 hexadecimal digits.

  bool ok() const { return violations.empty(); }
  bool operator==(const SeedOutcome&) const = default;
};

/// A line for each violation, below one that tells the seed.
std::string outcome_text(const SeedOutcome& outcome);
/// A `schema::SeedOutcome` as one JSON object in one line, without the line's end.
std::string outcome_json(const SeedOutcome& outcome);
/// The same back. Errors: corruption (it is no such line).
Result<SeedOutcome> read_outcome(std::string_view line);

}  // namespace slime::tools
