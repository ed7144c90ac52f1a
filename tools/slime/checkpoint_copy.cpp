#include "tools/slime/checkpoint_copy.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "storage/checkpoint_copy.hpp"
#include "tools/slime/arguments.hpp"
#include "tools/slime/checkpoint_choice.hpp"
#include "tools/slime/json_text.hpp"
#include "tools/slime/local_run.hpp"
#include "tools/slime/stop_signals.hpp"

namespace slime::tools {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view command = "checkpoint copy";

struct Options {
  std::string checkpoint;
  fs::path destination;
  std::string node = LocalRun::head_name;
  bool json = false;
};

Status check_places(const Options& options, const fs::path& source) {
  if (options.node.empty() || options.node.front() == '.' ||
      options.node.find('/') != std::string::npos)
    return Error{Errc::invalid_argument, fmt::format("--node: \"{}\" names no node", options.node)};
  std::error_code absent;
  if (fs::equivalent(options.destination, source, absent))
    return Error{Errc::invalid_argument,
                 fmt::format("copying from {} to itself; name another directory", source.string())};
  return ok();
}

/// What a running job removes meanwhile looks like damage.
Error explained(const Error& error, const fs::path& source, storage::CheckpointId id) {
  if (error.code != Errc::corruption) return error;
  storage::OpenedStores stores(source);
  const auto there =
      storage::select_checkpoint(stores, {storage::CheckpointSelector::Kind::exact, id});
  if (there || there.error().code != Errc::not_found) return error;
  return {Errc::not_found,
          fmt::format("copying {}: it was removed meanwhile, by the job or by slime checkpoint "
                      "prune; slime checkpoint pin {}@{} keeps one",
                      to_string(id), source.string(), id.iteration)};
}

void tell(const Console& console, const Options& options, storage::CheckpointId id,
          const storage::CopiedCheckpoint& copied) {
  if (options.json) {
    console.out << JsonObject()
                       .boolean("ok", true)
                       .text("directory", options.destination.string())
                       .text("node", options.node)
                       .number("iteration", id.iteration)
                       .number("term", id.term)
                       .boolean("was_there", copied.was_there)
                       .number("parts", copied.parts)
                       .number("written_bytes", copied.written_bytes)
                       .number("shared_bytes", copied.shared_bytes)
                       .str()
                << '\n';
    return;
  }
  console.out << options.destination.string() << '@' << id.iteration << '\n';
  console.err << one_line(copied.was_there
                              ? to_string(id) + " was there already, and is whole"
                              : fmt::format("{}: {} bytes written, {} were there already",
                                            to_string(id), copied.written_bytes,
                                            copied.shared_bytes))
              << '\n';
}

void declare(CLI::App& parser, Options& options) {
  parser
      .add_option("checkpoint", options.checkpoint,
                  "the job's checkpoint.directory, or the job file that names it, and which "
                  "checkpoint; without @ the newest")
      ->type_name("DIRECTORY|JOB.toml[@ITERATION|@newest|@best]")
      ->required();
  parser.add_option("destination", options.destination, "made if there is none")
      ->type_name("DIRECTORY")
      ->required();
  parser
      .add_option("--node", options.node,
                  "the head that will resume there without being told from where, if it has a "
                  "name of its own")
      ->type_name("NAME")
      ->capture_default_str();
  parser.add_flag("--json", options.json, "what was done, as one JSON object");
}

}  // namespace

ExitCode run_checkpoint_copy(std::span<const std::string> arguments, const Console& console) {
  Options options;
  CLI::App parser(
      "Copies a checkpoint to a second place, such as a file system that several machines see; "
      "slime train --resume=DIRECTORY goes on from there with any number of shards. It is verified "
      "as it is copied, and appears when it is whole. The job may be running. A copy that was "
      "interrupted goes on when it is started again.");
  declare(parser, options);
  if (const auto over = parse(parser, command, arguments, console)) return *over;

  const auto failed = [&](const Error& error) {
    return report(console, command, error, options.json);
  };
  StopSignals signals;
  const auto choice = choose_checkpoint(options.checkpoint, console.environment);
  if (!choice) return failed(choice.error());
  const fs::path source = choice->stores->directory();
  if (Status sound = check_places(options, source); !sound) return failed(sound.error());
  const storage::CheckpointId id = storage::id_of(choice->manifest);
  auto destination =
      storage::CheckpointStore::open(options.destination / options.node, storage::OpenMode::create);
  if (!destination) return failed(destination.error());
  std::optional<StopSignal> stop;
  const auto copied = storage::copy_checkpoint(choice->stores, choice->manifest, *destination, [&] {
    return (stop = signals.take_all()).has_value();
  });
  if (!copied) return failed(explained(copied.error(), source, id));
  if (copied->stopped)
    return report(console, command, exit_code_of_signal(stop->number), "interrupted",
                  fmt::format("copying {}: interrupted; the same command goes on", to_string(id)),
                  options.json);
  tell(console, options, id, *copied);
  return ExitCode::ok;
}

}  // namespace slime::tools
