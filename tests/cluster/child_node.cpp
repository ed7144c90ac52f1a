#include "tests/cluster/child_node.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>
#include <vector>

namespace slime::tests {

ChildNode::ChildNode(const std::string& name, const std::string& role,
                     const std::filesystem::path& log, const std::string& head,
                     const std::string& listen)
    : log_(log) {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "making a pipe");
  std::vector<std::string> words{SLIME_TEST_NODE, name, listen, role};
  if (!head.empty()) words.push_back(head);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  const int error =
      ::posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe[1]);
  output_ = pipe[0];
  if (error != 0) throw std::system_error(error, std::generic_category(), words[0]);
}

ChildNode::~ChildNode() {
  if (!exit_) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(output_);
}

std::optional<std::string> ChildNode::ready() {
  std::string line;
  char byte = 0;
  while (::read(output_, &byte, 1) == 1 && byte != '\n') line += byte;
  if (!line.starts_with("ready ")) return std::nullopt;
  return line.substr(6);
}

void ChildNode::signal(int number) const {
  ::kill(pid_, number);
}

std::optional<int> ChildNode::wait(Duration within) {
  const Instant deadline = monotonic_now() + within;
  while (!exit_) {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_)
      exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    else if (monotonic_now() > deadline)
      break;
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return exit_;
}

std::string ChildNode::log() const {
  std::ostringstream text;
  text << std::ifstream(log_).rdbuf();
  return text.str();
}

}  // namespace slime::tests
