#include "runtime/placement/spread.hpp"

#include <tuple>

namespace slime::runtime {

const Candidate* Spread::choose(std::span<const Candidate> candidates,
                                std::string_view role) const {
  const Candidate* best = nullptr;
  for (const Candidate& candidate : candidates) {
    if (!has_role(candidate, role)) continue;
    if (!best || std::tie(candidate.actors, candidate.name) < std::tie(best->actors, best->name))
      best = &candidate;
  }
  return best;
}

}  // namespace slime::runtime
