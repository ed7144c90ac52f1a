#pragma once

#include <spawn.h>
#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/clock.hpp"

namespace slime::tests {

/// A process that a test has started; killed when the object goes.
class SpawnedProcess {
 public:
  /// Where a stream of its goes.
  struct Output {
    std::filesystem::path file;  ///< Appended to; empty: see `descriptor`.
    int descriptor = -1;         ///< Of this process; stays its owner's.
  };

  /// Throws std::system_error.
  /// @param words        Program and arguments.
  /// @param environment  "NAME=value" each, instead of this process's own.
  SpawnedProcess(std::vector<std::string> words, std::vector<std::string> environment,
                 const Output& out, const Output& err);
  ~SpawnedProcess();
  SpawnedProcess(const SpawnedProcess&) = delete;
  SpawnedProcess& operator=(const SpawnedProcess&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  /// Its exit code, or minus the signal that ended it; none when it still runs after `within`.
  std::optional<int> wait(Duration within);

 private:
  pid_t pid_ = -1;
  std::optional<int> exit_;
};

/// This process's own environment, without `left_out`.
std::vector<std::string> environment_without(const std::string& left_out);

/// What a file holds; nothing when it is not there.
std::string text_of_file(const std::filesystem::path& file);

}  // namespace slime::tests
