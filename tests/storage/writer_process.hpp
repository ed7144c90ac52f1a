#pragma once

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "tests/support/build_places.hpp"

extern char** environ;

namespace slime::tests {

/// The program storage_writer, running.
class WriterProcess {
 public:
  WriterProcess(std::string verb, const std::filesystem::path& folder) {
    int in[2], out[2];
    if (::pipe(in) != 0 || ::pipe(out) != 0) std::abort();
    ::posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    ::posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    for (int end : {in[0], in[1], out[0], out[1]})
      ::posix_spawn_file_actions_addclose(&actions, end);
    std::string program = SLIME_BINARY_DIR "/tests/storage_writer", path = folder.string();
    char* arguments[] = {program.data(), verb.data(), path.data(), nullptr};
    if (::posix_spawn(&pid_, program.c_str(), &actions, nullptr, arguments, environ) != 0)
      std::abort();
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(in[0]);
    ::close(out[1]);
    in_ = in[1];
    out_ = ::fdopen(out[0], "r");
  }
  WriterProcess(const WriterProcess&) = delete;
  WriterProcess& operator=(const WriterProcess&) = delete;
  ~WriterProcess() {
    kill();
    ::close(in_);
    std::fclose(out_);
  }

  ::pid_t pid() const { return pid_; }

  /// Lets one go on that waits for it.
  void go_on() const {
    if (::write(in_, "\n", 1) != 1) std::abort();
  }

  /// The next line that it says, or nothing at the end.
  std::optional<std::string> line() {
    char text[64];
    if (!std::fgets(text, sizeof text, out_)) return std::nullopt;
    std::string said(text);
    said.resize(said.find('\n'));
    return said;
  }

  /// Waits for its end; whether it was killed.
  bool was_killed() {
    int status = 0;
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }

  /// At once, as kill -9 does; what it said stays readable.
  void kill() {
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  ::pid_t pid_ = 0;
  int in_ = -1;
  std::FILE* out_ = nullptr;
};

}  // namespace slime::tests
