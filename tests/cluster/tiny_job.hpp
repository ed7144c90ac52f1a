#pragma once

#include <filesystem>
#include <string>

#include "tests/support/temp_dir.hpp"

namespace slime::tests {

/// A job that learns ten patterns of 8 by 8 points: 60 iterations of 64 samples, 19,210 parameters,
/// which is more than one block of them, so that two shards both have work. Its checkpoints go to
/// `folder`/checkpoints. Reproducible, in lock step.
class TinyJob {
 public:
  /// Writes the data and the job file.
  explicit TinyJob(const TempDir& folder);

  std::filesystem::path file() const { return folder_ / "job.toml"; }
  std::filesystem::path images() const { return folder_ / "train-images"; }
  std::filesystem::path labels() const { return folder_ / "train-labels"; }
  std::filesystem::path checkpoints() const { return folder_ / "checkpoints"; }

 private:
  std::filesystem::path folder_;
};

}  // namespace slime::tests
