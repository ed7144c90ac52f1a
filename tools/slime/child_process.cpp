#include "tools/slime/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "tools/slime/pidfd.hpp"

namespace slime::tools {

namespace {

constexpr int token_descriptor = 3;
constexpr std::size_t token_bytes_max = 4096;

struct Pipe {
  Descriptor read;
  Descriptor write;
};

/// Both ends stand above the numbers that the child is given, so that placing one there never
/// closes another.
std::optional<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const Descriptor low_read(ends[0]);
  const Descriptor low_write(ends[1]);
  Pipe pipe{Descriptor(::fcntl(ends[0], F_DUPFD_CLOEXEC, 10)),
            Descriptor(::fcntl(ends[1], F_DUPFD_CLOEXEC, 10))};
  if (!pipe.read || !pipe.write) return std::nullopt;
  return pipe;
}

Error not_started(const ChildSpec& spec, int error_number) {
  return {Errc::io_error, fmt::format("starting {} ({}): {}", spec.name, spec.command.front(),
                                      std::strerror(error_number))};
}

/// What the child needs between fork and exec, made before: only calls that are safe after a fork
/// of a process with threads may be made there.
struct Launch {
  pid_t parent;
  int null;
  int output;
  int token;   ///< -1: none.
  int report;  ///< Takes the error number when exec fails.
  char* const* arguments;
  char* const* environment;
};

[[noreturn]] void give_up(const Launch& launch) {
  const int error_number = errno;
  [[maybe_unused]] const ssize_t written =
      ::write(launch.report, &error_number, sizeof error_number);
  ::_exit(127);
}

[[noreturn]] void become(const Launch& launch) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up(launch);
  // The parent may have died before the line above.
  if (::getppid() != launch.parent) ::_exit(127);
  ::setpgid(0, 0);
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::dup2(launch.null, STDIN_FILENO) < 0 || ::dup2(launch.output, STDOUT_FILENO) < 0 ||
      ::dup2(launch.output, STDERR_FILENO) < 0)
    give_up(launch);
  if (launch.token >= 0 && ::dup2(launch.token, token_descriptor) < 0) give_up(launch);
  const unsigned first_closed = launch.token >= 0 ? token_descriptor + 1 : token_descriptor;
  ::close_range(first_closed, ~0U, CLOSE_RANGE_CLOEXEC);
  ::execve(launch.arguments[0], launch.arguments, launch.environment);
  give_up(launch);
}

/// Views of what the child gets; valid as long as `spec` and our own environment stay as they are.
std::vector<char*> environment_of(const ChildSpec& spec) {
  std::vector<char*> all;
  const auto replaced = [&spec](std::string_view variable) {
    const std::string_view name = variable.substr(0, variable.find('=') + 1);
    return std::ranges::any_of(spec.environment, [name](const std::string& other) {
      return std::string_view(other).starts_with(name);
    });
  };
  for (char** entry = environ; *entry; ++entry)
    if (!replaced(*entry)) all.push_back(*entry);
  // The kernel's interface takes them as writable and writes nothing.
  for (const std::string& variable : spec.environment)
    all.push_back(const_cast<char*>(variable.c_str()));
  all.push_back(nullptr);
  return all;
}

/// The error number that the child reported before it could become the program; 0: it runs.
int exec_error(const Descriptor& report) {
  int error_number = 0;
  ssize_t got;
  do {
    got = ::read(report.number(), &error_number, sizeof error_number);
  } while (got < 0 && errno == EINTR);
  return got == sizeof error_number ? error_number : 0;
}

}  // namespace

std::string to_string(const ProcessExit& exit) {
  if (!exit.by_signal) return fmt::format("exit code {}", exit.number);
  return fmt::format("signal {} ({})", exit.number, ::strsignal(exit.number));
}

Result<ChildProcess> ChildProcess::start(const ChildSpec& spec) {
  if (spec.token.size() > token_bytes_max)
    return Error{Errc::invalid_argument, "starting " + spec.name + ": the token is over 4 KiB"};
  auto output = make_pipe();
  auto token = make_pipe();
  auto report = make_pipe();
  const Descriptor null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!output || !token || !report || !null) return not_started(spec, errno);
  // A pipe holds this much without a reader.
  if (::write(token->write.number(), spec.token.data(), spec.token.size()) < 0)
    return not_started(spec, errno);
  token->write.close();
  ::fcntl(output->read.number(), F_SETFL, O_NONBLOCK);

  std::vector<std::string> words = spec.command;
  if (!spec.token.empty())
    words.insert(words.end(), {"--token-fd", std::to_string(token_descriptor)});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::vector<char*> environment = environment_of(spec);
  const Launch launch{::getpid(),
                      null.number(),
                      output->write.number(),
                      spec.token.empty() ? -1 : token->read.number(),
                      report->write.number(),
                      arguments.data(),
                      environment.data()};
  const pid_t pid = ::fork();
  if (pid < 0) return not_started(spec, errno);
  if (pid == 0) become(launch);
  report->write.close();
  const int failed = exec_error(report->read);
  Descriptor ended(::pidfd_open(pid, 0));
  const int no_descriptor = ended ? 0 : errno;
  ChildProcess child(pid, std::move(output->read), std::move(ended));
  if (failed != 0) return not_started(spec, failed);
  if (no_descriptor != 0) return not_started(spec, no_descriptor);
  return child;
}

ChildProcess::ChildProcess(pid_t pid, Descriptor output, Descriptor ended)
    : pid_(pid), output_(std::move(output)), ended_(std::move(ended)) {}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(other.pid_),
      reaped_(std::exchange(other.reaped_, true)),
      output_(std::move(other.output_)),
      ended_(std::move(other.ended_)) {}

ChildProcess::~ChildProcess() {
  if (reaped_) return;
  signal(SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void ChildProcess::signal(int signal) const {
  if (reaped_) return;
  // The child itself as well, for the case that its group does not exist yet.
  ::kill(-pid_, signal);
  if (signal == SIGKILL) ::kill(pid_, signal);
}

std::optional<ProcessExit> ChildProcess::reap() {
  if (reaped_) return std::nullopt;
  siginfo_t info{};
  // Looked at without reaping first: until then the group's number cannot come to mean another.
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid == 0)
    return std::nullopt;
  ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  reaped_ = true;
  return ProcessExit{info.si_code != CLD_EXITED, info.si_status};
}

Result<std::string> read_token(int descriptor) {
  std::string token(token_bytes_max + 1, '\0');
  std::size_t size = 0;
  while (size < token.size()) {
    const ssize_t got = ::read(descriptor, token.data() + size, token.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return Error{Errc::io_error, fmt::format("reading the cluster's token from descriptor {}: {}",
                                               descriptor, std::strerror(errno))};
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size == 0 || size > token_bytes_max)
    return Error{Errc::invalid_argument,
                 fmt::format("reading the cluster's token from descriptor {}: it is {}", descriptor,
                             size == 0 ? "empty" : "over 4 KiB")};
  token.resize(size);
  return token;
}

}  // namespace slime::tools
