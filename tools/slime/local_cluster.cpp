#include "tools/slime/local_cluster.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <future>
#include <mutex>
#include <set>
#include <thread>

#include "tools/slime/bounded_log.hpp"
#include "tools/slime/exit_code.hpp"

namespace slime::tools {

namespace {

struct Child {
  ChildSpec spec;
  BoundedLog log;
  runtime::RestartPolicy restarts;
  std::optional<ChildProcess> process;
  Instant started{};
  std::optional<Instant> restart_at;
};

/// Whether another attempt could end differently: an orderly end is no failure, and a wrong
/// command line, version or token stays wrong.
bool is_worth_repeating(const ProcessExit& exit) {
  if (exit.by_signal) return true;
  for (const ExitCode final :
       {ExitCode::ok, ExitCode::usage, ExitCode::incompatible, ExitCode::denied})
    if (exit.number == static_cast<int>(final)) return false;
  return true;
}

int poll_timeout(std::optional<Instant> until, Instant now) {
  if (!until) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until - now).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

}  // namespace

std::string to_string(const ChildEvent& event) {
  std::string text = event.failure
                         ? event.failure->context
                         : fmt::format("{} (pid {}) ended by {} after {:.1f} s", event.name,
                                       event.pid, to_string(event.exit), to_seconds(event.lived));
  if (event.restart_in) text += fmt::format("; restart in {:.1f} s", to_seconds(*event.restart_in));
  return text;
}

/// The cluster's thread and what it works on. Everything but the guarded members belongs to the
/// thread.
class LocalCluster::Loop {
 public:
  Loop(std::vector<ChildSpec> specs, Options options) : options_(std::move(options)) {
    for (ChildSpec& spec : specs) {
      const auto file = options_.log_directory / (spec.name + ".log");
      children_.push_back({std::move(spec),
                           BoundedLog(file, options_.log_bytes_max),
                           runtime::RestartPolicy(options_.restart),
                           {},
                           {},
                           {}});
    }
  }

  Status launch() {
    wake_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wake_)
      return Error{Errc::io_error, fmt::format("starting a cluster: {}", std::strerror(errno))};
    std::promise<Status> started;
    auto result = started.get_future();
    thread_ = std::thread([this, started = std::move(started)]() mutable {
      block_signals();
      Status status = start_all();
      const bool run_on = bool(status);
      started.set_value(std::move(status));
      if (run_on) run();
    });
    return result.get();
  }

  std::vector<std::string> stop(Duration grace) {
    {
      const std::lock_guard lock(mutex_);
      stop_at_ = monotonic_now() + grace;
    }
    if (wake_) ::eventfd_write(wake_.number(), 1);
    if (thread_.joinable()) thread_.join();
    return std::exchange(killed_, {});
  }

  std::vector<ChildState> states() const {
    const std::lock_guard lock(mutex_);
    return states_;
  }

 private:
  /// Signals are for the main thread, which knows what they mean.
  static void block_signals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
  }

  Status start_all() {
    for (Child& child : children_) {
      if (Status status = start(child); !status) {
        for (Child& other : children_) other.process.reset();
        return status;
      }
    }
    publish();
    return ok();
  }

  static Status start(Child& child) {
    auto process = ChildProcess::start(child.spec);
    if (!process) return process.error();
    child.process.emplace(std::move(*process));
    child.started = monotonic_now();
    child.restarts.started(child.started);
    return ok();
  }

  void run() {
    bool asked = false;
    for (;;) {
      wait();
      const Instant now = monotonic_now();
      for (Child& child : children_) serve(child, now);
      if (const auto stop_at = stop_time()) {
        if (!std::exchange(asked, true)) ask_to_end();
        if (now >= *stop_at) kill_rest();
        const bool none_left = std::none_of(children_.begin(), children_.end(),
                                            [](const Child& child) { return bool(child.process); });
        if (none_left) return;
      }
      publish();
    }
  }

  void wait() {
    std::vector<pollfd> descriptors{{wake_.number(), POLLIN, 0}};
    const auto stop_at = stop_time();
    std::optional<Instant> until = killed_.empty() ? stop_at : std::nullopt;
    for (const Child& child : children_) {
      if (child.process) {
        descriptors.push_back({child.process->output(), POLLIN, 0});
        descriptors.push_back({child.process->ended(), POLLIN, 0});
      }
      if (child.restart_at && (!until || *child.restart_at < *until)) until = child.restart_at;
    }
    ::poll(descriptors.data(), descriptors.size(), poll_timeout(until, monotonic_now()));
    eventfd_t ignored;
    ::eventfd_read(wake_.number(), &ignored);
  }

  void serve(Child& child, Instant now) {
    if (child.process) {
      drain(child);
      if (const auto exit = child.process->reap()) {
        // What it wrote between the last read and its end.
        drain(child);
        ended(child, *exit, now);
      }
    } else if (child.restart_at && now >= *child.restart_at) {
      child.restart_at.reset();
      if (const Status status = start(child); !status) {
        ChildEvent event{child.spec.name, 0, {}, {}, {}, status.error()};
        child.started = now;
        schedule(child, event, now);
      }
    }
  }

  static void drain(Child& child) {
    std::array<char, 16384> buffer;
    // Bounded, so that a child that never stops writing cannot starve the others.
    for (int round = 0; round < 16 && child.process->output() >= 0; ++round) {
      const ssize_t got = ::read(child.process->output(), buffer.data(), buffer.size());
      if (got > 0)
        child.log.append({buffer.data(), static_cast<std::size_t>(got)});
      else if (got == 0)
        child.process->close_output();
      else if (errno != EINTR)
        return;
    }
  }

  void ended(Child& child, const ProcessExit& exit, Instant now) {
    ChildEvent event{child.spec.name, child.process->pid(), exit, now - child.started, {}, {}};
    child.process.reset();
    if (is_worth_repeating(exit))
      schedule(child, event, now);
    else
      tell(event);
  }

  void schedule(Child& child, ChildEvent& event, Instant now) {
    if (!stop_time()) event.restart_in = child.restarts.failed(now);
    if (event.restart_in) child.restart_at = now + *event.restart_in;
    tell(event);
  }

  void tell(const ChildEvent& event) {
    publish();
    if (options_.on_exit) options_.on_exit(event);
  }

  void ask_to_end() {
    for (Child& child : children_) {
      child.restart_at.reset();
      if (child.process) child.process->signal(SIGTERM);
    }
  }

  void kill_rest() {
    for (Child& child : children_) {
      if (!child.process) continue;
      if (std::find(killed_.begin(), killed_.end(), child.spec.name) == killed_.end())
        killed_.push_back(child.spec.name);
      child.process->signal(SIGKILL);
    }
  }

  std::optional<Instant> stop_time() const {
    const std::lock_guard lock(mutex_);
    return stop_at_;
  }

  void publish() {
    std::vector<ChildState> states;
    for (const Child& child : children_)
      states.push_back(
          {child.spec.name, child.process ? child.process->pid() : 0, child.restarts.restarts()});
    const std::lock_guard lock(mutex_);
    states_ = std::move(states);
  }

  Options options_;
  std::vector<Child> children_;
  std::vector<std::string> killed_;  ///< Read by others after the thread has ended.
  Descriptor wake_;
  std::thread thread_;
  mutable std::mutex mutex_;
  std::optional<Instant> stop_at_;  ///< Guarded: when patience ends; absent: not stopping.
  std::vector<ChildState> states_;  ///< Guarded.
};

Result<std::unique_ptr<LocalCluster>> LocalCluster::start(std::vector<ChildSpec> children,
                                                          Options options) {
  std::set<std::string_view> names;
  for (const ChildSpec& child : children)
    if (!names.insert(child.name).second)
      return Error{Errc::invalid_argument,
                   "starting a cluster: two children are called " + child.name};
  std::error_code failure;
  std::filesystem::create_directories(options.log_directory, failure);
  if (failure)
    return Error{Errc::io_error, fmt::format("starting a cluster: creating the log folder {}: {}",
                                             options.log_directory.string(), failure.message())};
  auto loop = std::make_unique<Loop>(std::move(children), std::move(options));
  const Status started = loop->launch();
  std::unique_ptr<LocalCluster> cluster(new LocalCluster(std::move(loop)));
  if (!started) return started.error();
  return cluster;
}

LocalCluster::LocalCluster(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}

LocalCluster::~LocalCluster() {
  stop(Duration::zero());
}

std::vector<std::string> LocalCluster::stop(Duration grace) {
  return loop_->stop(grace);
}

std::vector<ChildState> LocalCluster::children() const {
  return loop_->states();
}

}  // namespace slime::tools
