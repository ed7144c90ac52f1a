#include "tests/cluster/slime_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <system_error>
#include <thread>

namespace slime::tests {

namespace {

constexpr Duration pause = std::chrono::milliseconds(20);

std::string read_all(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

SlimeProcess::SlimeProcess(const TempDir& folder, const std::vector<std::string>& arguments) {
  std::string pattern = (folder.path() / "output-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) throw std::system_error(errno, std::generic_category(), pattern);
  log_ = pattern;
  std::vector<std::string> words{SLIME_BINARY_DIR "/bin/slime"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::string runtime = "XDG_RUNTIME_DIR=" + folder.path().string();
  std::vector<char*> environment;
  for (char** entry = environ; *entry; ++entry)
    if (!std::string_view(*entry).starts_with("XDG_RUNTIME_DIR=")) environment.push_back(*entry);
  environment.push_back(runtime.data());
  environment.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, (log_ / "out").c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, (log_ / "err").c_str(), O_WRONLY | O_CREAT, 0600);
  const int error =
      ::posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), words[0]);
}

SlimeProcess::~SlimeProcess() {
  if (exit_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void SlimeProcess::signal(int number) const {
  ::kill(pid_, number);
}

std::optional<int> SlimeProcess::wait(Duration within) {
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

bool SlimeProcess::says(std::string_view text, Duration within) {
  const Instant deadline = monotonic_now() + within;
  for (;;) {
    const bool ended = wait(Duration::zero()).has_value();
    if (err().find(text) != std::string::npos || out().find(text) != std::string::npos) return true;
    if (ended || monotonic_now() > deadline) return false;
    std::this_thread::sleep_for(pause);
  }
}

std::string SlimeProcess::out() const {
  return read_all(log_ / "out");
}
std::string SlimeProcess::err() const {
  return read_all(log_ / "err");
}

std::string SlimeProcess::last_line() const {
  std::string text = out();
  if (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

std::vector<pid_t> processes_with(const std::vector<std::string>& parts) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    // Empty for corpses.
    std::string line = read_all(entry.path() / "cmdline");
    std::ranges::replace(line, '\0', ' ');
    const bool all = std::ranges::all_of(
        parts, [&](const std::string& part) { return line.find(part) != std::string::npos; });
    if (all) found.push_back(std::stoi(name));
  }
  return found;
}

bool none_left(const std::string& part, Duration within) {
  const Instant deadline = monotonic_now() + within;
  while (!processes_with({part}).empty()) {
    if (monotonic_now() > deadline) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

}  // namespace slime::tests
