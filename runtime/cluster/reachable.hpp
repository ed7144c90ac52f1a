#pragma once

#include <vector>

#include "runtime/link/endpoint.hpp"

namespace slime::runtime {

/// What to tell other nodes about where this one listens: an endpoint that stands for every
/// address of the host becomes one for each address that leads here from elsewhere, or loopback
/// when there is none. All others stay as they are. Asks the system; any thread.
std::vector<Endpoint> reachable(const std::vector<Endpoint>& bound);

}  // namespace slime::runtime
