#include "tests/cluster/spawned_process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

namespace slime::tests {

namespace {

constexpr Duration pause = std::chrono::milliseconds(10);

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> ends;
  for (std::string& word : words) ends.push_back(word.data());
  ends.push_back(nullptr);
  return ends;
}

void redirect(posix_spawn_file_actions_t& actions, const SpawnedProcess::Output& output, int to) {
  if (output.file.empty())
    ::posix_spawn_file_actions_adddup2(&actions, output.descriptor, to);
  else
    ::posix_spawn_file_actions_addopen(&actions, to, output.file.c_str(),
                                       O_WRONLY | O_CREAT | O_APPEND, 0600);
}

}  // namespace

SpawnedProcess::SpawnedProcess(std::vector<std::string> words, std::vector<std::string> environment,
                               const Output& out, const Output& err) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  redirect(actions, out, STDOUT_FILENO);
  redirect(actions, err, STDERR_FILENO);
  const auto argv = pointers(words), envp = pointers(environment);
  const int error = ::posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), envp.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), words[0]);
}

SpawnedProcess::~SpawnedProcess() {
  if (exit_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void SpawnedProcess::signal(int number) const {
  ::kill(pid_, number);
}

std::optional<int> SpawnedProcess::wait(Duration within) {
  const Instant deadline = monotonic_now() + within;
  while (!exit_) {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_)
      exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    else if (monotonic_now() > deadline)
      break;
    else
      std::this_thread::sleep_for(pause);
  }
  return exit_;
}

std::vector<std::string> environment_without(const std::string& left_out) {
  std::vector<std::string> kept;
  for (char** entry = environ; *entry; ++entry)
    if (left_out.empty() || !std::string_view(*entry).starts_with(left_out + "="))
      kept.emplace_back(*entry);
  return kept;
}

std::string text_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace slime::tests
