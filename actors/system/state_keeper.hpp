#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/base/error.hpp"
#include "runtime/wire/words.hpp"

namespace slime::actors {

/// One change of what a `StateKeeper` holds.
struct KeptChange {
  std::string key;
  std::optional<runtime::Words> state;  ///< Nothing: forgotten.
};

/// Where the head's actors keep what must outlive their process. Any thread; calls may wait for a
/// disk. After an error nothing may be said that rests on what was to be kept.
class StateKeeper {
 public:
  virtual ~StateKeeper() = default;

  /// All of it or nothing; durable when it returns. Errors: io_error.
  virtual Status write(std::span<const KeptChange> changes) = 0;
  /// Calls `use` with each entry whose key starts with `prefix`, ascending. `use` must not call the
  /// keeper. Errors: corruption, io_error.
  virtual Status visit(
      std::string_view prefix,
      const std::function<void(std::string_view key, const runtime::Words& state)>& use) const = 0;
};

}  // namespace slime::actors
