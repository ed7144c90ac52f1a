#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/error.hpp"
#include "tools/slime/checkpoint_choice.hpp"
#include "trainer/model/tensors.hpp"

namespace slime::tools {

/// What one checkpoint holds, parameters left out.
struct CheckpointDetails {
  storage::CheckpointId id;
  std::string head;  ///< Node whose store has the manifest.
  bool pinned = false;
  // The job it is of.
  std::string job;
  std::string mode;
  std::string optimizer;
  // How far that had come, and when.
  std::uint64_t epoch = 0;    ///< Of the next sample, from 0.
  std::uint64_t samples = 0;  ///< Used since the job began.
  std::uint64_t version = 0;  ///< Updates applied.
  double accuracy = 0;        ///< NaN: not measured.
  std::int64_t wall_time_us = 0;
  std::string slime_version;

  std::vector<trainer::TensorInfo> tensors;
  struct Part {
    std::string store;
    std::string key;
    std::uint64_t first = 0;  ///< Parameter.
    std::uint64_t count = 0;  ///< Parameters.
    std::uint64_t bytes = 0;  ///< Of values and slots.
    // What the part's record says, if it can be read.
    std::uint64_t own_bytes = 0;     ///< Stored with this checkpoint.
    std::uint64_t shared_bytes = 0;  ///< Stored with older ones and unchanged since.
    std::uint32_t slots = 0;
    std::optional<Error> damage = {};  ///< Why it cannot.
  };
  std::vector<Part> parts;

  std::uint64_t parameters() const;
  std::uint64_t bytes() const;
  /// Optimizer slots for each parameter; none: no part's record can be read.
  std::optional<std::uint32_t> slots() const;
  /// Whether each part's record can be read; says nothing of the parameters.
  bool readable() const;
};

/// Reads the records of the parts, and no parameters. Blocks on the disk. Errors: io_error (it is
/// not known which checkpoints are pinned).
Result<CheckpointDetails> read_details(const CheckpointChoice& choice);

std::string details_text(const CheckpointDetails& details);
/// One JSON object in one line; ok tells whether all of it could be read.
std::string details_json(const CheckpointDetails& details);

}  // namespace slime::tools
