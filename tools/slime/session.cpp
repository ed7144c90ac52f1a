#include "tools/slime/session.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>

#include "runtime/base/utc_time.hpp"
#include "tools/slime/descriptor.hpp"
#include "tools/slime/session_record.hpp"

namespace slime::tools {

namespace {

constexpr std::string_view record_ending = ".process.json";

Error io_error(std::string_view attempt, const std::filesystem::path& path) {
  return {Errc::io_error, fmt::format("{} {}: {}", attempt, path.string(), std::strerror(errno))};
}

std::filesystem::path record_file(const std::filesystem::path& folder, const Member& member) {
  // One name for every head, so that two cannot stand side by side.
  if (member.role == ProcessRole::head) return folder / fmt::format("head{}", record_ending);
  return folder / fmt::format("node-{}{}", member.process.pid, record_ending);
}

std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Error no_cluster(const std::filesystem::path& folder, const Members& members) {
  std::string why = "no live cluster";
  if (!members.gone.empty()) {
    const auto latest = std::max_element(
        members.gone.begin(), members.gone.end(),
        [](const Member& a, const Member& b) { return a.started_at_us < b.started_at_us; });
    why += "; stale session from " + utc_text(latest->started_at_us);
  }
  return {Errc::not_found, fmt::format("{} (session folder {}); slime start --head starts one, "
                                       "--session DIR names another folder",
                                       why, folder.string())};
}

/// Refuses a folder through which another user could read the token or plant records: /tmp is open
/// to everybody.
Status check_owner(const std::filesystem::path& folder) {
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0) return io_error("opening the session folder", folder);
  const auto refused = [&](std::string_view why) {
    return Error{Errc::refused, fmt::format("opening the session folder {}: {}; remove it or name "
                                            "another with --session DIR",
                                            folder.string(), why)};
  };
  if (!S_ISDIR(status.st_mode)) return refused("it is no directory");
  if (status.st_uid != ::geteuid()) return refused("it belongs to another user");
  if ((status.st_mode & 077) != 0) return refused("other users may enter it");
  return ok();
}

/// Held while records are checked and written, so that two heads cannot both find none.
Result<Descriptor> lock(const std::filesystem::path& folder) {
  const auto file = folder / "lock";
  Descriptor descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!descriptor) return io_error("opening", file);
  while (::flock(descriptor.number(), LOCK_EX) != 0)
    if (errno != EINTR) return io_error("locking", file);
  return descriptor;
}

void sweep(const std::filesystem::path& folder, const Members& members) {
  std::error_code ignored;
  for (const Member& member : members.gone)
    std::filesystem::remove(record_file(folder, member), ignored);
  for (const auto& file : members.unreadable) std::filesystem::remove(file, ignored);
}

}  // namespace

SessionEntry::~SessionEntry() {
  std::error_code ignored;
  if (!file_.empty()) std::filesystem::remove(file_, ignored);
}

std::filesystem::path Session::default_folder(const Environment& environment, uid_t user) {
  const auto runtime = environment.find("XDG_RUNTIME_DIR");
  if (runtime != environment.end() && runtime->second.starts_with('/'))
    return std::filesystem::path(runtime->second) / "slime";
  return fmt::format("/tmp/slime-{}", user);
}

Result<Session> Session::create(const std::filesystem::path& folder) {
  std::error_code failure;
  if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path(), failure);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return io_error("creating the session folder", folder);
  return open(folder);
}

Result<Session> Session::open(const std::filesystem::path& folder) {
  std::error_code failure;
  if (!std::filesystem::exists(std::filesystem::symlink_status(folder, failure)))
    return no_cluster(folder, Members());
  if (Status owned = check_owner(folder); !owned) return owned.error();
  return Session(folder);
}

Result<SessionEntry> Session::record(const Member& member) const {
  const auto held = lock(folder_);
  if (!held) return held.error();
  const auto found = members();
  if (!found) return found.error();
  for (const Member& other : found->running)
    if (other.role == ProcessRole::head && member.role == ProcessRole::head)
      return Error{Errc::already_exists,
                   fmt::format("recording the head in {}: a cluster runs there already, pid {}, "
                               "started {}; slime stop ends it, --session DIR starts another",
                               folder_.string(), other.process.pid, utc_text(other.started_at_us))};
  sweep(folder_, *found);
  const auto file = record_file(folder_, member);
  if (Status written = replace_file(file, write_record(member)); !written) return written.error();
  return SessionEntry(file);
}

Result<Members> Session::members() const {
  Members members;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(folder_, failure), end; entry != end && !failure;
       entry.increment(failure)) {
    if (!entry->path().string().ends_with(record_ending)) continue;
    auto member = read_record(read_text(entry->path()));
    if (!member)
      members.unreadable.push_back(entry->path());
    else
      (is_running(member->process) ? members.running : members.gone).push_back(std::move(*member));
  }
  if (failure)
    return Error{Errc::io_error, fmt::format("reading the session folder {}: {}", folder_.string(),
                                             failure.message())};
  std::sort(members.running.begin(), members.running.end(), [](const Member& a, const Member& b) {
    return std::pair(a.role, a.process.pid) < std::pair(b.role, b.process.pid);
  });
  return members;
}

Result<Member> Session::head() const {
  auto found = members();
  if (!found) return found.error();
  if (!found->running.empty() && found->running.front().role == ProcessRole::head)
    return std::move(found->running.front());
  return no_cluster(folder_, *found);
}

Result<std::vector<StoppedMember>> Session::stop(Duration grace, bool kill) const {
  const auto found = members();
  if (!found) return found.error();
  // The head comes first, so it is asked last: a node that lost it before being asked to end would
  // have failed.
  std::vector<ProcessIdentity> processes;
  for (const Member& member : found->running) processes.push_back(member.process);
  const std::vector<StopOutcome> outcomes = stop_processes(processes, grace, kill);
  std::vector<StoppedMember> stopped;
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    stopped.push_back({found->running[i], outcomes[i]});
  // Read again under the lock: a cluster may have been started in the meantime.
  const auto held = lock(folder_);
  if (!held) return held.error();
  if (const auto left = members()) sweep(folder_, *left);
  if (stopped.empty()) return no_cluster(folder_, *found);
  return stopped;
}

Status Session::write_token(std::string_view token) const {
  return replace_file(token_file(), token);
}

Result<std::string> Session::read_token() const {
  errno = 0;
  std::string token = read_text(token_file());
  if (!token.empty()) return token;
  if (errno != 0 && errno != ENOENT) return io_error("reading the cluster's token", token_file());
  return Error{Errc::not_found,
               fmt::format("reading the cluster's token {}: there is none", token_file().string())};
}

std::string make_token() {
  std::random_device entropy;
  std::string token;
  for (int i = 0; i < 8; ++i) token += fmt::format("{:08x}", entropy());
  return token;
}

}  // namespace slime::tools
