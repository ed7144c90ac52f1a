#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/cluster/spawned_process.hpp"
#include "tests/support/temp_dir.hpp"

namespace slime::tests {

/// The real program, running; killed when the object goes. Its session, its private folders and
/// what it prints are in `folder`, so that whatever belongs to it has that path in its command
/// line.
class SlimeProcess {
 public:
  SlimeProcess(const TempDir& folder, const std::vector<std::string>& arguments);

  pid_t pid() const { return process_->pid(); }
  void signal(int number) const { process_->signal(number); }
  /// Its exit code, or minus the signal that ended it; none when it still runs after `within`.
  std::optional<int> wait(Duration within) { return process_->wait(within); }
  /// Whether `text` appeared on its standard error or output before it ended and within the time.
  bool says(std::string_view text, Duration within);
  std::string out() const;
  std::string err() const;
  /// The last line of its output.
  std::string last_line() const;

 private:
  std::filesystem::path log_;
  std::optional<SpawnedProcess> process_;
};

/// Processes, corpses left out, whose command line contains every one of `parts`.
std::vector<pid_t> processes_with(const std::vector<std::string>& parts);

/// Whether no such process is left, or becomes so within the time.
bool none_left(const std::string& part, Duration within);

}  // namespace slime::tests
