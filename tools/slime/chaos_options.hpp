#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/slime/arguments.hpp"
#include "tools/slime/nearest_word.hpp"

namespace slime::tools {

/// The command line of `slime chaos`.
struct ChaosOptions {
  using Words = std::vector<std::string>;

  std::string job;
  Words sets;
  Words faults;  ///< Empty: the usual ones, which differ for a simulation.
  bool json = false;

  // Of a real cluster.
  std::optional<std::uint64_t> seed;
  Words targets{"worker", "shard"};
  std::size_t count = 10;
  double pace_s = 3;
  double stuck_s = 120;
  std::string expect;
  std::string directory;
  bool dry_run = false;

  // Of a simulated one.
  bool simulate = false;
  std::uint64_t first = 1;
  std::uint64_t seeds = 1000;
  unsigned processes = 1;
  std::string plant;
};

/// Has `parser` read them into `options`, which must outlive it.
void describe(CLI::App& parser, ChaosOptions& options);

/// The entries of a table that `names` names, each once.
/// Errors: invalid_argument (an unknown name, with the nearest).
template <class Entry>
Result<std::vector<const Entry*>> entries_named(std::span<const Entry> table,
                                                const ChaosOptions::Words& names,
                                                std::string_view what) {
  std::vector<std::string_view> known;
  for (const Entry& entry : table) known.push_back(entry.name);
  std::vector<const Entry*> chosen;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(table, name, &Entry::name);
    if (found == table.end())
      return Error{Errc::invalid_argument, std::string(what) + ": there is no \"" + name + "\"; " +
                                               suggestion(name, known)};
    if (std::ranges::find(chosen, &*found) == chosen.end()) chosen.push_back(&*found);
  }
  return chosen;
}

}  // namespace slime::tools
