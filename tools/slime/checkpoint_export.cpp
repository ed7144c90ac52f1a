#include "tools/slime/checkpoint_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <vector>

#include "storage/checkpoint_reader.hpp"
#include "tools/slime/arguments.hpp"
#include "tools/slime/checkpoint_choice.hpp"
#include "tools/slime/checkpoint_tensors.hpp"
#include "tools/slime/exchange/exchanged_tensors.hpp"
#include "tools/slime/exchange/name_globs.hpp"
#include "tools/slime/exchange/new_file.hpp"
#include "tools/slime/exchange/tensor_copy.hpp"
#include "tools/slime/exchange/tensor_file_formats.hpp"
#include "tools/slime/json_text.hpp"
#include "tools/slime/stop_signals.hpp"

namespace slime::tools {

namespace {

constexpr std::string_view command = "checkpoint export";

// Of a job's name in the file; job files allow far less.
constexpr std::size_t job_bytes_max = 1024;

struct Options {
  std::string checkpoint;
  std::filesystem::path file;
  std::vector<std::string> only;
  bool slots = false;
  bool force = false;
  bool json = false;
};

/// What is said of the whole, in the file and to scripts.
struct Origin {
  explicit Origin(const storage::Manifest& manifest) {
    manifest.read([this](schema::CheckpointManifest::Reader read) {
      job = shortened(read.getJob().getName().cStr(), job_bytes_max);
      iteration = read.getIteration();
      term = read.getTerm();
      epoch = read.getEpoch();
      accuracy = read.getAccuracy();
    });
  }

  FileMetadata metadata() const {
    FileMetadata said{
        {"job", job}, {"iteration", std::to_string(iteration)}, {"epoch", std::to_string(epoch)}};
    if (std::isfinite(accuracy)) said.emplace_back("accuracy", json_number(accuracy));
    said.emplace_back("producer", "slime " SLIME_VERSION);
    return said;
  }

  std::string job;
  std::uint64_t iteration = 0, term = 0, epoch = 0;
  double accuracy = 0;
};

Result<std::vector<CheckpointTensor>> choose(const storage::CheckpointReader& reader,
                                             const storage::Manifest& manifest,
                                             const Options& options) {
  const auto all = checkpoint_tensors(stored_tensors(manifest), options.slots ? reader.slots() : 0);
  const NameGlobs only(options.only);
  if (Status matched = only.check(names_of(all)); !matched) return matched.error();
  std::vector<CheckpointTensor> chosen;
  for (const CheckpointTensor& tensor : all)
    if (only.match(tensor.info.name)) chosen.push_back(tensor);
  return chosen;
}

/// False: `stop` said so.
Result<bool> write(const TensorFileFormat& format, const Options& options, const Origin& origin,
                   const storage::CheckpointReader& reader,
                   const std::vector<CheckpointTensor>& tensors,
                   const std::function<bool()>& stop) {
  auto file = NewFile::begin(options.file, options.force);
  if (!file) return file.error();
  std::vector<trainer::TensorInfo> infos;
  for (const CheckpointTensor& tensor : tensors) infos.push_back(tensor.info);
  auto writer = format.write(*file, infos, origin.metadata());
  if (!writer) return writer.error();
  const auto copied = copy_tensors(reader, tensors, **writer, stop);
  if (!copied || !*copied) return copied;
  if (Status there = file->commit(); !there) return there.error();
  return true;
}

void tell(const Console& console, const Options& options, const TensorFileFormat& format,
          const Origin& origin, const std::vector<CheckpointTensor>& tensors) {
  std::uint64_t numbers = 0;
  for (const CheckpointTensor& tensor : tensors) numbers += tensor.info.count;
  if (!options.json) {
    console.out << options.file.string() << '\n';
    console.err << one_line(fmt::format("{} tensors, {} numbers, of iteration {} (term {}) of {}",
                                        tensors.size(), numbers, origin.iteration, origin.term,
                                        origin.job))
                << '\n';
    return;
  }
  std::error_code unknown;
  console.out << JsonObject()
                     .boolean("ok", true)
                     .text("file", options.file.string())
                     .text("format", format.name)
                     .text("job", origin.job)
                     .number("iteration", origin.iteration)
                     .number("term", origin.term)
                     .number("epoch", origin.epoch)
                     .number("accuracy", origin.accuracy)
                     .number("tensors", tensors.size())
                     .number("numbers", numbers)
                     .number("bytes", std::filesystem::file_size(options.file, unknown))
                     .str()
              << '\n';
}

}  // namespace

ExitCode run_checkpoint_export(std::span<const std::string> arguments, const Console& console) {
  Options options;
  CLI::App parser(
      "Writes the tensors of a checkpoint to a file that other programs read, such as\n"
      "Python; verifies what it reads, and changes nothing in the stores.");
  parser
      .add_option("checkpoint", options.checkpoint,
                  "the job's checkpoint.directory, or the job file that names it, and which "
                  "checkpoint; without @ the newest")
      ->type_name("DIRECTORY|JOB.toml[@ITERATION|@newest|@best]")
      ->required();
  parser.add_option("file", options.file, "to write; its extension names the format")
      ->type_name("FILE.safetensors|FILE.npz")
      ->required();
  parser
      .add_option("--only", options.only, "tensors whose name matches, such as '0.*'; repeatable")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  parser.add_flag("--slots", options.slots,
                  "what the optimizer remembers as well, as NAME.slot_0 and so on");
  parser.add_flag("--force", options.force, "replace FILE if it exists");
  parser.add_flag("--json", options.json, "what was written, as JSON");
  if (const auto over = parse(parser, command, arguments, console)) return *over;

  const auto failed = [&](const Error& error) {
    return report(console, command, error, options.json);
  };
  StopSignals signals;
  const auto format = tensor_file_format(options.file);
  if (!format) return failed(format.error());
  const auto choice = choose_checkpoint(options.checkpoint, console.environment);
  if (!choice) return failed(choice.error());
  const auto reader = storage::CheckpointReader::open(choice->stores, choice->manifest);
  if (!reader) return failed(reader.error());
  const auto tensors = choose(*reader, choice->manifest, options);
  if (!tensors) return failed(tensors.error());
  const Origin origin(choice->manifest);
  std::optional<StopSignal> stop;
  const auto written = write(**format, options, origin, *reader, *tensors,
                             [&] { return (stop = signals.take_all()).has_value(); });
  if (!written) return failed(written.error());
  if (!*written)
    return report(
        console, command, exit_code_of_signal(stop->number), "interrupted",
        fmt::format("writing {}: interrupted; nothing was written", options.file.string()),
        options.json);
  tell(console, options, **format, origin, *tensors);
  return ExitCode::ok;
}

}  // namespace slime::tools
