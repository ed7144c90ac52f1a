#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/cluster/spawned_process.hpp"

namespace slime::tests {

/// A `slime_test_node` process; killed when the object goes.
class ChildNode {
 public:
  /// @param log   File that gets what it writes to stderr.
  /// @param head  Empty: it is one.
  /// @param more  Words of its command line, as it takes them.
  ChildNode(const std::string& name, const std::string& role, const std::filesystem::path& log,
            const std::string& head = {}, const std::string& listen = "tcp:127.0.0.1:0",
            const std::vector<std::string>& more = {});
  ~ChildNode();
  ChildNode(const ChildNode&) = delete;
  ChildNode& operator=(const ChildNode&) = delete;

  /// Where it listens, once it is a member; none when it ended first. Blocks.
  std::optional<std::string> ready();
  void signal(int number) const { process_->signal(number); }
  /// Its exit code, or minus the signal that ended it; none when it still runs after `within`.
  std::optional<int> wait(Duration within) { return process_->wait(within); }
  /// What it has logged so far.
  std::string log() const { return text_of_file(log_); }
  pid_t pid() const { return process_->pid(); }

 private:
  std::filesystem::path log_;
  int output_ = -1;
  std::optional<SpawnedProcess> process_;
};

}  // namespace slime::tests
