#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "actors/system/checkpoint_copier.hpp"

namespace slime::actors {

/// How a job's copies to its second place stand, as its coordinator sees it.
struct CopyRound {
  using Id = std::pair<std::uint64_t, std::uint64_t>;  ///< Term and iteration of a checkpoint.

  CheckpointCopier copier;    ///< None: it is started when it is wanted.
  std::optional<Id> running;  ///< Being copied.
  std::optional<Id> tried;    ///< The newest that was, whatever came of it.
};

}  // namespace slime::actors
