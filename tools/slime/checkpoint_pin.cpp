#include "tools/slime/checkpoint_pin.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <thread>

#include "runtime/base/clock.hpp"
#include "storage/pins.hpp"
#include "tools/slime/arguments.hpp"
#include "tools/slime/checkpoint_choice.hpp"
#include "tools/slime/json_text.hpp"

namespace slime::tools {

namespace {

namespace fs = std::filesystem;

using storage::CheckpointId;

// Whoever removes checkpoints holds the lock for as long as that takes.
constexpr Duration patience = std::chrono::seconds(20);
constexpr Duration pause = std::chrono::milliseconds(20);

/// What pinning and unpinning differ in.
struct PinVerb {
  const char* command;
  const char* purpose;
  bool pinned;  ///< Afterwards.
  Result<bool> (*change)(const fs::path& directory, CheckpointId id);
};

constexpr PinVerb pin_verb{
    "checkpoint pin",
    "Keeps a checkpoint from being removed, by a running job as well as by slime checkpoint prune, "
    "until it is unpinned. It counts for no other rule. The job may be running.",
    true, storage::pin_checkpoint};
constexpr PinVerb unpin_verb{
    "checkpoint unpin",
    "Gives up a pin: the checkpoint stays only as long as another rule wants it. The job may be "
    "running; the checkpoint may be gone.",
    false, storage::unpin_checkpoint};

/// The pinned checkpoint of this iteration, which may be gone and need not be the newest of those
/// that have it; of several pinned ones, that of the latest term.
Result<std::optional<CheckpointId>> pinned_id(const fs::path& directory, std::uint64_t iteration) {
  const auto pins = storage::pinned_checkpoints(directory);
  if (!pins) return pins.error();
  const auto last = std::find_if(pins->rbegin(), pins->rend(),
                                 [&](CheckpointId id) { return id.iteration == iteration; });
  if (last == pins->rend()) return std::optional<CheckpointId>();
  return std::optional(*last);
}

Result<CheckpointId> find_id(const fs::path& directory, const std::string& which, bool pinned) {
  const auto selector = checkpoint_selector(which);
  if (!selector) return selector.error();
  if (!pinned && selector->kind == storage::CheckpointSelector::Kind::iteration) {
    const auto there = pinned_id(directory, selector->id.iteration);
    if (!there) return there.error();
    if (*there) return **there;
  }
  storage::OpenedStores stores(directory);
  const auto found = storage::select_checkpoint(stores, *selector);
  if (!found) return found.error();
  return found->id;
}

Result<bool> change_patiently(const PinVerb& verb, const fs::path& directory, CheckpointId id) {
  const Instant deadline = monotonic_now() + patience;
  while (true) {
    auto changed = verb.change(directory, id);
    if (changed || changed.error().code != Errc::overloaded || monotonic_now() > deadline)
      return changed;
    std::this_thread::sleep_for(pause);
  }
}

ExitCode run(const PinVerb& verb, std::span<const std::string> arguments, const Console& console) {
  std::string text;
  bool json = false;
  CLI::App parser(verb.purpose);
  parser
      .add_option("checkpoint", text,
                  "the job's checkpoint.directory, or the job file that names it, and which "
                  "checkpoint; without @ the newest")
      ->type_name("DIRECTORY|JOB.toml[@ITERATION|@newest|@best]")
      ->required();
  parser.add_flag("--json", json, "what was done, as one JSON object");
  if (const auto over = parse(parser, verb.command, arguments, console)) return *over;

  const auto failed = [&](const Error& error) {
    return report(console, verb.command, error, json);
  };
  const CheckpointName name = checkpoint_name(text);
  const auto directory = checkpoint_directory(name.path, console.environment);
  if (!directory) return failed(directory.error());
  const auto id = find_id(*directory, name.which, verb.pinned);
  if (!id) return failed(id.error());
  const auto changed = change_patiently(verb, *directory, *id);
  if (!changed) return failed(changed.error());
  if (json)
    console.out << JsonObject()
                       .boolean("ok", true)
                       .text("directory", directory->string())
                       .number("iteration", id->iteration)
                       .number("term", id->term)
                       .boolean("pinned", verb.pinned)
                       .boolean("changed", *changed)
                       .str()
                << '\n';
  else
    console.out << to_string(*id) << (*changed ? " is " : " was ")
                << (verb.pinned ? "pinned" : "not pinned") << (*changed ? " now" : " already")
                << '\n';
  return ExitCode::ok;
}

}  // namespace

ExitCode run_checkpoint_pin(std::span<const std::string> arguments, const Console& console) {
  return run(pin_verb, arguments, console);
}

ExitCode run_checkpoint_unpin(std::span<const std::string> arguments, const Console& console) {
  return run(unpin_verb, arguments, console);
}

}  // namespace slime::tools
