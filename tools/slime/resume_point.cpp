#include "tools/slime/resume_point.hpp"

#include <fmt/format.h>

#include <array>

#include "storage/checkpoint_selection.hpp"
#include "storage/chosen_valid.hpp"
#include "tools/slime/checkpoint_choice.hpp"
#include "tools/slime/nearest_word.hpp"

namespace slime::tools {

namespace {

namespace fs = std::filesystem;

using Kind = storage::CheckpointSelector::Kind;

constexpr std::array<std::string_view, 2> words{"newest", "best"};

ResumePoint point_of(const fs::path& directory, const storage::CheckpointSelector& selector) {
  return ResumePoint::make([&](schema::CheckpointChoice::Builder root) {
    root.setDirectory(directory.string());
    if (selector.kind == Kind::best) root.getCheckpoint().setBest();
    if (selector.kind == Kind::iteration) root.getCheckpoint().setIteration(selector.id.iteration);
  });
}

/// Where the stores lie that `path` names.
Result<fs::path> directory_of(const std::string& path, StorePlace place,
                              const Environment& environment) {
  std::error_code failure;
  const bool there = !path.empty() && fs::exists(path, failure);
  // A word alone is more likely a slip than a folder of the nodes.
  const bool of_nodes = place == StorePlace::cluster && path.find('/') != std::string::npos;
  if (!there && !of_nodes)
    return Error{
        Errc::not_found,
        fmt::format("resuming from \"{}\": it is no iteration, no directory of checkpoints "
                    "and no job file; {}",
                    path, suggestion(path, words))};
  const auto directory = there ? checkpoint_directory(path, environment) : fs::path(path);
  if (!directory) return Error{directory.error().code, "resuming: " + directory.error().context};
  const fs::path whole = fs::absolute(*directory, failure).lexically_normal();
  if (failure) return Error{Errc::io_error, "finding the working folder: " + failure.message()};
  return whole;
}

}  // namespace

Result<ResumePoint> resume_point(const std::string& text, StorePlace place,
                                 const Environment& environment) {
  if (const auto own = checkpoint_selector(text)) return point_of("", *own);
  const CheckpointName name = checkpoint_name(text);
  const auto selector = checkpoint_selector(name.which);
  if (!selector) return Error{selector.error().code, "resuming: " + selector.error().context};
  const auto directory = directory_of(name.path, place, environment);
  if (!directory) return directory.error();
  return point_of(*directory, *selector);
}

bool is_own_newest(const ResumePoint& point) {
  return point.read([](schema::CheckpointChoice::Reader read) {
    return read.getDirectory().size() == 0 && read.getCheckpoint().isNewest();
  });
}

Status check_resume_point(const ResumePoint& point, const fs::path& own) {
  if (own.empty())
    return Error{Errc::not_found,
                 "resuming: the job names no checkpoint.directory, where its own checkpoints would "
                 "go"};
  return point.read([&own](schema::CheckpointChoice::Reader read) -> Status {
    const fs::path directory =
        read.getDirectory().size() == 0 ? own : fs::path(read.getDirectory().cStr());
    const storage::CheckpointSelector selector = storage::selector_of(read);
    const auto attempted = [](const Error& error) {
      return Error{error.code, "resuming: " + error.context};
    };
    if (selector.kind == Kind::newest) {
      storage::OpenedStores stores(directory);
      const auto found = storage::select_checkpoint(stores, selector);
      return found ? ok() : Status(attempted(found.error()));
    }
    // A damaged one is refused before a run repairs its store and loses it.
    const auto found = storage::chosen_valid(directory, selector);
    return found ? ok() : Status(attempted(found.error()));
  });
}

}  // namespace slime::tools
