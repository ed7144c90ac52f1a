#include "tools/slime/checkpoint_restore.hpp"

#include "storage/checkpoint_reader.hpp"
#include "tools/slime/arguments.hpp"
#include "tools/slime/checkpoint_choice.hpp"
#include "tools/slime/checkpoint_tensors.hpp"
#include "tools/slime/exchange/stored_tensor_reader.hpp"
#include "tools/slime/job_beginning.hpp"

namespace slime::tools {

namespace {

constexpr std::string_view command = "checkpoint restore";

Result<std::unique_ptr<TensorFileReader>> open_checkpoint(const std::string& name, bool slots,
                                                          const Environment& environment) {
  const auto choice = choose_checkpoint(name, environment);
  if (!choice) return choice.error();
  auto reader = storage::CheckpointReader::open(choice->stores, choice->manifest);
  if (!reader) return reader.error();
  auto tensors = checkpoint_tensors(stored_tensors(choice->manifest), slots ? reader->slots() : 0);
  return std::unique_ptr<TensorFileReader>(
      std::make_unique<StoredTensorReader>(std::move(*reader), std::move(tensors)));
}

}  // namespace

ExitCode run_checkpoint_restore(std::span<const std::string> arguments, const Console& console) {
  std::string checkpoint;
  bool slots = false;
  JobBeginning options;
  CLI::App parser(
      "Begins a job with tensors of another job's checkpoint, a warm start: makes a checkpoint of "
      "iteration 0, with which slime train --resume begins. They are read whole and verified "
      "before anything is written; the other job may be running. To go on with a job as it was, on "
      "any number of shards, slime train --resume needs no restore.");
  parser
      .add_option("checkpoint", checkpoint,
                  "the other job's checkpoint.directory, or the job file that names it, and which "
                  "checkpoint; without @ the newest")
      ->type_name("DIRECTORY|JOB.toml[@ITERATION|@newest|@best]")
      ->required();
  declare_job_beginning(parser, options);
  parser.add_flag("--slots", slots,
                  "take what the optimizer remembers as well; otherwise it begins anew");
  if (const auto over = parse(parser, command, arguments, console)) return *over;
  return begin_job(console, command, options,
                   {"checkpoint", checkpoint,
                    [&] { return open_checkpoint(checkpoint, slots, console.environment); }});
}

}  // namespace slime::tools
