#pragma once

#include <string>

#include "actors/system/checkpointer.hpp"

namespace slime::actors {

/// Who writes the store of one of the job's nodes.
struct StoreSlot {
  std::string node;
  Checkpointer checkpointer;
  bool open = false;  ///< It holds the store.
};

}  // namespace slime::actors
