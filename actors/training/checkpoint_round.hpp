#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>

#include "runtime/base/clock.hpp"
#include "runtime/wire/message.hpp"
#include "schemas/balancing.capnp.h"
#include "schemas/training.capnp.h"

namespace slime::actors {

/// One checkpoint while it is being made, as its coordinator sees it.
struct CheckpointRound {
  std::uint64_t attempt = 0;  ///< Several may be tried at one iteration.
  std::uint64_t iteration = 0;
  Instant begun{};
  std::set<std::size_t> to_copy, to_save;  ///< Shards.
  std::map<std::uint32_t, runtime::Message<schema::PartSaved>> parts;
  runtime::Message<schema::Filters> filters;
  /// On the test set at this iteration; nan when it is not evaluated there.
  double accuracy = std::numeric_limits<double>::quiet_NaN();
  bool committing = false;
};

}  // namespace slime::actors
