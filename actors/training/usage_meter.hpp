#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "runtime/base/clock.hpp"
#include "runtime/base/machine_usage.hpp"
#include "schemas/training.capnp.h"

namespace slime::actors {

/// What a worker takes of its machine and sends over its links, reported about once a second.
/// Owned by one worker; a reading blocks for as long as its source does.
class UsageMeter {
 public:
  using Source = std::function<Result<MachineUsage>()>;

  /// @param source  Asked when a report is due; empty, as in a simulation: nothing is reported.
  explicit UsageMeter(Source source) : source_(std::move(source)) {}

  void fetched(std::uint64_t bytes) { bytes_in_ += bytes; }
  void pushed(std::uint64_t bytes) { bytes_out_ += bytes; }

  /// Adds a report to a measurement made at `now`, if one is due. A source that fails says why
  /// once, and is not asked again.
  Status report(Instant now, schema::Measurement::Builder measured);

 private:
  Source source_;
  std::optional<Instant> reported_;
  MachineUsage last_;  ///< Of that report.
  std::uint64_t bytes_in_ = 0;
  std::uint64_t bytes_out_ = 0;
};

}  // namespace slime::actors
