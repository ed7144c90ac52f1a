#include "tools/slime/job_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "runtime/base/clock.hpp"
#include "storage/checkpoint_selection.hpp"
#include "storage/checkpoint_store.hpp"
#include "storage/store_lock.hpp"

namespace slime::tools {

namespace {

// What was killed goes on holding its locks until all of its threads were scheduled once more.
constexpr Duration released_within = std::chrono::seconds(2);
constexpr Duration release_pause = std::chrono::milliseconds(20);

std::string absolute(capnp::Text::Reader path, const std::filesystem::path& base) {
  return (base / path.cStr()).lexically_normal().string();
}

void make_absolute(capnp::List<capnp::Text>::Builder paths, const std::filesystem::path& base) {
  for (unsigned i = 0; i < paths.size(); ++i) paths.set(i, absolute(paths[i].asReader(), base));
}

Status check_data(std::string_view setting, capnp::List<capnp::Text>::Reader files) {
  for (const auto file : files) {
    std::error_code failure;
    if (std::filesystem::is_regular_file(file.cStr(), failure)) continue;
    const bool there = std::filesystem::exists(file.cStr(), failure);
    return Error{Errc::not_found, fmt::format("{}: {}: {}", setting, file.cStr(),
                                              there ? "that is no file" : "there is no such file")};
  }
  return ok();
}

/// A folder that can never be written would only show when the first checkpoint fails.
Status check_writable(const std::filesystem::path& directory) {
  std::error_code failure;
  std::filesystem::create_directories(directory, failure);
  if (!failure && std::filesystem::is_directory(directory) &&
      ::access(directory.c_str(), W_OK | X_OK) == 0)
    return ok();
  const std::string why = failure ? failure.message() : std::generic_category().message(errno);
  return Error{Errc::io_error,
               fmt::format("checkpoint.directory: {}: {}; name a folder that can be "
                           "made and written, or \"\" for no checkpoints",
                           directory.string(), why)};
}

/// Waits for a while for whoever holds the store: a run may follow closely upon the death of the
/// one before it.
Status check_unheld(const std::filesystem::path& store, Instant deadline) {
  for (;;) {
    const Status free = storage::StoreLock::check_free(store);
    if (free) return ok();
    if (free.error().code != Errc::already_exists || monotonic_now() >= deadline)
      return Error{free.error().code, "checkpoint.directory: " + free.error().context};
    std::this_thread::sleep_for(release_pause);
  }
}

/// It may be away later, but a slip is told before the first copy fails.
Status check_second_place(const std::filesystem::path& place,
                          const std::filesystem::path& directory) {
  std::error_code failure;
  const auto refused = [&place](Errc code, std::string_view why) {
    return Error{code, fmt::format("checkpoint.copy_to: {}: {}", place.string(), why)};
  };
  if (!std::filesystem::is_directory(place, failure))
    return refused(Errc::not_found,
                   "there is no such folder; make it, or mount what belongs there");
  if (std::filesystem::equivalent(place, directory, failure))
    return refused(Errc::invalid_argument,
                   "that is checkpoint.directory; name another folder, on another disk");
  if (::access(place.c_str(), W_OK | X_OK) != 0)
    return refused(Errc::io_error,
                   std::generic_category().message(errno) + "; name a folder that can be written");
  return ok();
}

Status check_stores(const std::filesystem::path& directory) {
  const Instant deadline = monotonic_now() + released_within;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(directory, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (!std::filesystem::exists(entry->path() / "OWNER", failure)) continue;
    if (Status unheld = check_unheld(entry->path(), deadline); !unheld) return unheld;
  }
  return ok();
}

}  // namespace

runtime::Message<schema::JobSpec> with_absolute_paths(const runtime::Message<schema::JobSpec>& job,
                                                      const std::filesystem::path& base) {
  return job.read([&](schema::JobSpec::Reader read) {
    capnp::MallocMessageBuilder draft;
    draft.setRoot(read);
    auto root = draft.getRoot<schema::JobSpec>();
    make_absolute(root.getData().getTrain(), base);
    make_absolute(root.getData().getTest(), base);
    if (root.getCheckpoint().getDirectory().size() > 0)
      root.getCheckpoint().setDirectory(
          absolute(root.getCheckpoint().getDirectory().asReader(), base));
    if (root.getCheckpoint().getCopyTo().size() > 0)
      root.getCheckpoint().setCopyTo(absolute(root.getCheckpoint().getCopyTo().asReader(), base));
    return runtime::Message<schema::JobSpec>::copy(root.asReader());
  });
}

Status check_files(schema::JobSpec::Reader job) {
  if (Status there = check_data("data.train", job.getData().getTrain()); !there) return there;
  if (Status there = check_data("data.test", job.getData().getTest()); !there) return there;
  if (job.getCheckpoint().getDirectory().size() == 0) return ok();
  const std::filesystem::path directory = job.getCheckpoint().getDirectory().cStr();
  if (Status writable = check_writable(directory); !writable) return writable;
  if (job.getCheckpoint().getCopyTo().size() > 0)
    if (Status there = check_second_place(job.getCheckpoint().getCopyTo().cStr(), directory);
        !there)
      return there;
  return check_stores(directory);
}

Status check_checkpoints(schema::JobSpec::Reader job, std::string_view head) {
  const std::filesystem::path directory = job.getCheckpoint().getDirectory().cStr();
  if (directory.empty())
    return Error{Errc::not_found, "resuming: the job names no checkpoint.directory"};
  const auto store = storage::CheckpointStore::open(directory / head, storage::OpenMode::read_only);
  if (store && !store->list().empty()) return ok();
  const std::string copies = job.getCheckpoint().getCopyTo().cStr();
  storage::OpenedStores copied(copies);
  if (!copies.empty() && storage::select_checkpoint(copied, {})) return ok();
  if (!store && store.error().code != Errc::not_found)
    return Error{store.error().code, "resuming: " + store.error().context};
  return Error{Errc::not_found,
               fmt::format("resuming: there is no checkpoint in {}{}; start anew without --resume",
                           directory.string(), copies.empty() ? "" : " nor in " + copies)};
}

}  // namespace slime::tools
