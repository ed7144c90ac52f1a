#include "tools/bench/scratch_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <system_error>

#include "runtime/base/clock.hpp"
#include "tools/slime/exit_code.hpp"
#include "tools/slime/stop_signals.hpp"

namespace slime::bench {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr double gib = 1024.0 * 1024.0 * 1024.0;

}  // namespace

Status check_room(const fs::path& folder, std::uint64_t bytes) {
  std::error_code failure;
  const auto there = fs::space(folder, failure);
  if (failure)
    return Error{Errc::io_error,
                 fmt::format("looking for room in {}: {}", folder.string(), failure.message())};
  if (there.available >= bytes) return ok();
  return Error{
      Errc::overloaded,
      fmt::format("{} has {:.2f} GiB free, and this needs {:.2f}; free some, or let TMPDIR "
                  "name a folder on another disk",
                  folder.string(), static_cast<double>(there.available) / gib,
                  static_cast<double>(bytes) / gib)};
}

ScratchFolder::ScratchFolder()
    : path_(fs::temp_directory_path() / fmt::format("slime-bench-{}", ::getpid())) {
  fs::create_directories(path_);
  watcher_ = std::jthread([this] { wait_for_signals(); });
  watching_.wait();
}

ScratchFolder::~ScratchFolder() {
  over_ = true;
  signals_->wake();
  woken_.count_down();
  watcher_.join();
  remove_all();
}

void ScratchFolder::wait_for_signals() {
  tools::StopSignals signals;
  signals_ = &signals;
  watching_.count_down();
  std::optional<tools::StopSignal> signal;
  while (!signal && !over_) signal = signals.wait();
  if (!signal) return woken_.wait();
  remove_all();
  ::_exit(static_cast<int>(tools::exit_code_of_signal(signal->number)));
}

void ScratchFolder::remove_all() const {
  const fs::path leaving = path_.string() + "-leaving";
  std::error_code failure;
  fs::rename(path_, leaving, failure);
  // Who was just making a file there by an open folder may be done only now.
  constexpr int attempts = 50;
  for (int i = 0; i < attempts && fs::exists(leaving, failure); ++i) {
    if (i > 0) std::this_thread::sleep_for(20ms);
    fs::remove_all(leaving, failure);
  }
}

}  // namespace slime::bench
