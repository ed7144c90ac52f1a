#include "tools/slime/checkpoint_choice.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "tools/slime/nearest_word.hpp"
#include "tools/slime/settings/job_settings.hpp"

namespace slime::tools {

namespace {

namespace fs = std::filesystem;

using storage::CommittedCheckpoint;

constexpr std::array<std::string_view, 2> words{"newest", "best"};

Result<storage::Manifest> manifest_of(storage::OpenedStores& stores,
                                      const CommittedCheckpoint& of) {
  const auto store = stores.of(of.head);
  if (!store) return store.error();
  return (*store)->manifest(of.id);
}

}  // namespace

CheckpointName checkpoint_name(const std::string& text) {
  const std::size_t at = text.rfind('@');
  std::error_code failure;
  if (at == std::string::npos || fs::exists(text, failure)) return {text};
  return {text.substr(0, at), text.substr(at + 1)};
}

Result<fs::path> checkpoint_directory(const fs::path& path, const Environment& environment) {
  std::error_code failure;
  if (fs::is_directory(path, failure)) return path;
  if (!fs::exists(path, failure))
    return Error{Errc::not_found,
                 "looking for the checkpoints of " + path.string() + ": there is no such file"};
  const auto settings = read_settings({path, environment, {}});
  if (!settings) return settings.error();
  const std::string directory = settings->job.read([](schema::JobSpec::Reader job) {
    return std::string(job.getCheckpoint().getDirectory().cStr());
  });
  if (directory.empty())
    return Error{Errc::not_found, path.string() + ": the job names no checkpoint.directory"};
  return fs::path(directory);
}

Result<storage::CheckpointSelector> checkpoint_selector(std::string_view which) {
  using Kind = storage::CheckpointSelector::Kind;
  if (which == "newest") return storage::CheckpointSelector{Kind::newest};
  if (which == "best") return storage::CheckpointSelector{Kind::best};
  std::uint64_t iteration = 0;
  const auto [end, error] = std::from_chars(which.data(), which.data() + which.size(), iteration);
  if (error == std::errc() && end == which.data() + which.size())
    return storage::CheckpointSelector{Kind::iteration, {.iteration = iteration}};
  return Error{Errc::invalid_argument, "checkpoint \"" + std::string(which) +
                                           "\": it is neither an iteration nor a known word; " +
                                           suggestion(which, words)};
}

Result<CommittedCheckpoint> find_checkpoint(storage::OpenedStores& stores, std::string_view which) {
  const auto selector = checkpoint_selector(which);
  if (!selector) return selector.error();
  return storage::select_checkpoint(stores, *selector);
}

Result<CheckpointChoice> choose_checkpoint(const fs::path& directory, std::string_view which) {
  storage::OpenedStores listed(directory);
  const auto found = find_checkpoint(listed, which);
  if (!found) return found.error();
  // Opened anew, so that none of them was opened before the checkpoint was committed.
  auto stores = std::make_shared<storage::OpenedStores>(directory);
  auto manifest = manifest_of(*stores, *found);
  if (!manifest) return manifest.error();
  return CheckpointChoice{std::move(stores), found->head, std::move(*manifest)};
}

Result<CheckpointChoice> choose_checkpoint(const std::string& text,
                                           const Environment& environment) {
  const CheckpointName name = checkpoint_name(text);
  const auto directory = checkpoint_directory(name.path, environment);
  if (!directory) return directory.error();
  return choose_checkpoint(*directory, name.which);
}

}  // namespace slime::tools
