#include "tests/cluster/slime_process.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <thread>

#include "tests/support/build_places.hpp"

namespace slime::tests {

namespace {

constexpr Duration look_pause = std::chrono::milliseconds(20);

}  // namespace

SlimeProcess::SlimeProcess(const TempDir& folder, const std::vector<std::string>& arguments) {
  std::string pattern = (folder.path() / "output-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) throw std::system_error(errno, std::generic_category(), pattern);
  log_ = pattern;
  std::vector<std::string> words{SLIME_BINARY_DIR "/bin/slime"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  auto environment = environment_without("XDG_RUNTIME_DIR");
  environment.push_back("XDG_RUNTIME_DIR=" + folder.path().string());
  process_.emplace(std::move(words), std::move(environment),
                   SpawnedProcess::Output{log_ / "out", -1},
                   SpawnedProcess::Output{log_ / "err", -1});
}

bool SlimeProcess::says(std::string_view text, Duration within) {
  const Instant deadline = monotonic_now() + within;
  for (;;) {
    const bool ended = wait(Duration::zero()).has_value();
    if (err().find(text) != std::string::npos || out().find(text) != std::string::npos) return true;
    if (ended || monotonic_now() > deadline) return false;
    std::this_thread::sleep_for(look_pause);
  }
}

std::string SlimeProcess::out() const {
  return text_of_file(log_ / "out");
}
std::string SlimeProcess::err() const {
  return text_of_file(log_ / "err");
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
    std::string line = text_of_file(entry.path() / "cmdline");
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
    std::this_thread::sleep_for(look_pause);
  }
  return true;
}

}  // namespace slime::tests
