#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/base/error.hpp"
#include "tools/slime/console.hpp"
#include "tools/slime/process_identity.hpp"

namespace slime::tools {

enum class ProcessRole : std::uint8_t { head, node };

/// One process of a cluster, as it recorded itself.
struct Member {
  ProcessIdentity process;
  ProcessRole role = ProcessRole::node;
  std::string name;
  std::vector<std::string> endpoints;
  std::int64_t started_at_us = 0;  ///< Since 1970, for people.
};

/// What a session folder holds.
struct Members {
  std::vector<Member> running;                    ///< The head first.
  std::vector<Member> gone;                       ///< Recorded, but their processes have ended.
  std::vector<std::filesystem::path> unreadable;  ///< Files that are no records.
};

/// A member and what became of it.
struct StoppedMember {
  Member member;
  StopOutcome outcome;
};

/// A process's own record: removed with this object, unless the process dies first.
class SessionEntry {
 public:
  explicit SessionEntry(std::filesystem::path file) : file_(std::move(file)) {}
  SessionEntry(SessionEntry&& other) noexcept : file_(std::exchange(other.file_, {})) {}
  SessionEntry& operator=(SessionEntry&&) = delete;
  ~SessionEntry();

 private:
  std::filesystem::path file_;
};

/// The folder through which the commands on one machine find its cluster: a record for each of its
/// processes, and the cluster's token. Only its owner may read it. Records prove nothing by
/// themselves: each use compares them with the processes that run now, so a crash leaves nothing
/// to clean up by hand. Blocks on the disk. Not thread-safe; safe between processes.
class Session {
 public:
  /// $XDG_RUNTIME_DIR/slime, or /tmp/slime-UID without that variable.
  static std::filesystem::path default_folder(const Environment& environment, uid_t user);

  /// Creates the folder if it is absent.
  /// Errors: refused (it belongs to another user or others may enter it), io_error.
  static Result<Session> create(const std::filesystem::path& folder);
  /// Errors: not_found (no folder: no cluster was started there), refused, io_error.
  static Result<Session> open(const std::filesystem::path& folder);

  const std::filesystem::path& folder() const { return folder_; }

  /// Records `member` and sweeps out the records of processes that are gone.
  /// Errors: already_exists (a second head while one runs), io_error.
  Result<SessionEntry> record(const Member& member) const;

  /// Errors: io_error.
  Result<Members> members() const;

  /// The running head. Errors: not_found ("no live cluster; stale session from …").
  Result<Member> head() const;

  /// Stops every running member, the head when the nodes have ended, and clears what is left of the
  /// records.
  /// @param grace  For the nodes, and as much again for the head.
  /// @param kill   Send SIGKILL to what has not ended after it.
  /// Errors: not_found (nothing runs; told as by `head`), io_error.
  Result<std::vector<StoppedMember>> stop(Duration grace, bool kill) const;

  /// Writes the secret that joins nodes to the cluster, readable by its owner only.
  /// Errors: io_error.
  Status write_token(std::string_view token) const;
  /// Errors: not_found, io_error.
  Result<std::string> read_token() const;
  std::filesystem::path token_file() const { return folder_ / "token"; }

 private:
  explicit Session(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_;
};

/// 64 hexadecimal digits from the operating system's entropy.
std::string make_token();

}  // namespace slime::tools
