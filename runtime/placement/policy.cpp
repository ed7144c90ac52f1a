#include "runtime/placement/policy.hpp"

#include <algorithm>

namespace slime::runtime {

bool has_role(const Candidate& candidate, std::string_view role) {
  return role.empty() || std::ranges::find(candidate.roles, role) != candidate.roles.end();
}

}  // namespace slime::runtime
