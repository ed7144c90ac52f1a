#include "tools/slime/checkpoint_choice.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "tools/slime/nearest_word.hpp"
#include "tools/slime/settings/job_settings.hpp"

namespace slime::tools {

namespace {

namespace fs = std::filesystem;

using storage::CommittedCheckpoint;

constexpr std::array<std::string_view, 2> words{"newest", "best"};

std::optional<std::uint64_t> iteration_of(std::string_view text) {
  std::uint64_t iteration = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), iteration);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return iteration;
}

/// "there are those of iterations 10, 20 and 3 older ones".
std::string those_there_are(const std::vector<CommittedCheckpoint>& all) {
  constexpr std::size_t told_max = 10;
  const std::size_t older = all.size() - std::min(all.size(), told_max);
  std::string text;
  for (std::size_t i = older; i < all.size(); ++i)
    text += (text.empty() ? "" : ", ") + std::to_string(all[i].id.iteration);
  if (older > 0) text += " and " + std::to_string(older) + " older ones";
  return "there are those of iterations " + text;
}

Result<storage::Manifest> manifest_of(storage::OpenedStores& stores,
                                      const CommittedCheckpoint& of) {
  const auto store = stores.of(of.head);
  if (!store) return store.error();
  return (*store)->manifest(of.id);
}

Result<CommittedCheckpoint> best_of(storage::OpenedStores& stores,
                                    const std::vector<CommittedCheckpoint>& all,
                                    const std::string& attempted) {
  const CommittedCheckpoint* best = nullptr;
  double highest = 0;
  for (const CommittedCheckpoint& one : all) {
    const auto manifest = manifest_of(stores, one);
    if (!manifest) continue;
    const double accuracy = manifest->read([](auto read) { return read.getAccuracy(); });
    if (!std::isfinite(accuracy) || (best && accuracy < highest)) continue;
    highest = accuracy;
    best = &one;
  }
  if (best) return *best;
  return Error{
      Errc::not_found,
      attempted + "the accuracy of none was measured; name an iteration, " + those_there_are(all)};
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

Result<CommittedCheckpoint> find_checkpoint(storage::OpenedStores& stores, std::string_view which) {
  const std::string attempted = "looking for checkpoint \"" + std::string(which) + "\" in " +
                                stores.directory().string() + ": ";
  const auto iteration = iteration_of(which);
  if (!iteration && std::ranges::find(words, which) == words.end())
    return Error{
        Errc::invalid_argument,
        attempted + "it is neither an iteration nor a known word; " + suggestion(which, words)};
  const auto found = storage::committed_checkpoints(stores);
  if (!found) return found.error();
  const auto& all = found->all;
  if (all.empty() && !found->unreadable.empty()) return found->unreadable.front();
  if (all.empty()) return Error{Errc::not_found, attempted + "the stores there hold none"};
  if (which == "best") return best_of(stores, all, attempted);
  const auto last = std::find_if(all.rbegin(), all.rend(), [&](const CommittedCheckpoint& one) {
    return !iteration || one.id.iteration == *iteration;
  });
  if (last == all.rend()) return Error{Errc::not_found, attempted + those_there_are(all)};
  return *last;
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
