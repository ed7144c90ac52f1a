#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "runtime/wire/message.hpp"
#include "schemas/record.capnp.h"

namespace slime::actors {

/// The newest entries of what a run did, until somebody has read them; bounded in bytes, and the
/// oldest go first. Belongs to a coordinator; no call blocks.
class RecordRing {
 public:
  /// @param bytes_max  Of the entries, bookkeeping included.
  explicit RecordRing(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  /// Adds what happened when the run was `run_s` old; `fill` receives the `schema::RecordEntry`.
  template <class Fill>
  void add(double run_s, Fill&& fill) {
    keep(runtime::Message<schema::RecordEntry>::make([&](schema::RecordEntry::Builder root) {
      root.setRunSeconds(run_s);
      std::forward<Fill>(fill)(root);
    }));
  }

  /// The entries from number `from` on, as far as both bounds allow, and one at least.
  /// @param bytes_max  Of the whole message.
  runtime::Message<schema::Record> tell(std::uint64_t from, std::size_t entries_max,
                                        std::size_t bytes_max) const;

 private:
  void keep(const runtime::Message<schema::RecordEntry>& entry);

  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  std::deque<runtime::Words> entries_;
  std::uint64_t forgotten_ = 0;  ///< Older than those.
};

}  // namespace slime::actors
