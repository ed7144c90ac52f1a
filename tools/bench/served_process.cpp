#include "tools/bench/served_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace slime::bench {

namespace {

struct Pipe {
  int read_end = -1;
  int write_end = -1;

  Pipe() {
    std::array<int, 2> ends;
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      throw std::system_error(errno, std::generic_category(), "making a pipe");
    read_end = ends[0];
    write_end = ends[1];
  }
};

std::string read_line(int fd) {
  std::string line;
  char byte = 0;
  while (::read(fd, &byte, 1) == 1 && byte != '\n') line += byte;
  return line;
}

}  // namespace

ServedProcess::ServedProcess(const std::string& carrier, const std::string& endpoint) {
  const Pipe input;
  const Pipe output;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input.read_end, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, output.write_end, STDOUT_FILENO);
  std::array<std::string, 4> words{"slime-bench", "serve", carrier, endpoint};
  std::array<char*, 5> arguments{words[0].data(), words[1].data(), words[2].data(), words[3].data(),
                                 nullptr};
  const int code =
      ::posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(input.read_end);
  ::close(output.write_end);
  input_ = input.write_end;
  if (code != 0) throw std::system_error(code, std::generic_category(), "starting a process");
  endpoint_ = read_line(output.read_end);
  ::close(output.read_end);
  if (endpoint_.empty())
    throw std::runtime_error("the process that serves " + carrier + " did not come up");
}

ServedProcess::~ServedProcess() {
  ::close(input_);
  ::waitpid(pid_, nullptr, 0);
}

}  // namespace slime::bench
