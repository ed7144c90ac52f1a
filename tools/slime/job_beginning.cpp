#include "tools/slime/job_beginning.hpp"

#include <fmt/format.h>

#include <utility>

#include "actors/training/job_parts.hpp"
#include "tools/slime/exchange/first_checkpoint.hpp"
#include "tools/slime/exchange/tensor_assignment.hpp"
#include "tools/slime/json_text.hpp"
#include "tools/slime/known_names.hpp"
#include "tools/slime/settings/job_settings.hpp"
#include "trainer/data/formats.hpp"
#include "trainer/model/model.hpp"

namespace slime::tools {

namespace {

using Job = runtime::Message<schema::JobSpec>;

/// What the job's file and data say of its model.
struct JobModel {
  trainer::Model model;
  std::vector<trainer::TensorInfo> tensors;
  std::uint32_t slots = 0;
  std::uint64_t seed = 0;
};

Result<JobModel> model_of(schema::JobSpec::Reader job) {
  const auto settings = actors::gradient_settings(job);
  // How many values a sample has stands in the data only.
  const std::vector<std::filesystem::path> files(settings.train_files.begin(),
                                                 settings.train_files.end());
  const auto data = trainer::load_dataset(settings.format, files);
  if (!data)
    return Error{data.error().code, "the job's training set, which says how large its model is: " +
                                        data.error().context};
  auto model = trainer::Model::build(settings.layers, data->input_size());
  if (!model) return model.error();
  auto tensors = trainer::tensors_of(settings.layers, data->input_size());
  if (!tensors) return tensors.error();
  const auto optimizer = actors::optimizer_of(job);
  if (!optimizer) return optimizer.error();
  return JobModel{std::move(*model), std::move(*tensors),
                  static_cast<std::uint32_t>((*optimizer)->slots()), settings.seed};
}

Result<AssignmentRules> rules_of(const JobBeginning& options, const TensorSource& source) {
  AssignmentRules rules{{}, NameGlobs(options.only), options.allow_missing, source.kind};
  for (const std::string& text : options.maps) {
    auto rename = parse_rename(text);
    if (!rename) return rename.error();
    rules.renames.push_back(std::move(*rename));
  }
  return rules;
}

Result<std::vector<ImportedTensor>> plan(const TensorFileReader& file, const JobModel& model,
                                         const JobBeginning& options, const TensorSource& source) {
  const auto rules = rules_of(options, source);
  if (!rules) return rules.error();
  const auto wanted = checkpoint_tensors(model.tensors, model.slots);
  const auto sources = assign_tensors(file.tensors(), wanted, *rules);
  if (!sources) return Error{sources.error().code, source.name + ": " + sources.error().context};
  std::vector<ImportedTensor> tensors;
  for (std::size_t i = 0; i < wanted.size(); ++i) tensors.push_back({wanted[i], (*sources)[i]});
  return tensors;
}

Result<storage::CheckpointId> store(const TensorFileReader& file, const Job& job,
                                    const JobModel& model,
                                    const std::vector<ImportedTensor>& tensors,
                                    const JobBeginning& options) {
  const InitialValues initial = [&model](std::uint64_t first, std::span<float> out) {
    model.model.initialise(model.seed, first, out);
  };
  const Status sound =
      check_numbers(ImportedPlanes(file, tensors, initial), model.model.parameter_count());
  if (!sound) return sound.error();
  const FirstCheckpoint checkpoint{.directory = options.directory,
                                   .head = options.node,
                                   .tensors = model.tensors,
                                   .wall_time_us = wall_clock_us()};
  return store_first_checkpoint(checkpoint, job, ImportedPlanes(file, tensors, initial));
}

void tell(const Console& console, const JobBeginning& options, const TensorSource& source,
          storage::CheckpointId id, const std::vector<ImportedTensor>& tensors) {
  std::vector<std::string> taken, initial;
  for (const ImportedTensor& tensor : tensors)
    (tensor.source ? taken : initial).push_back(json_quote(tensor.tensor.info.name));
  if (options.json) {
    console.out << JsonObject()
                       .boolean("ok", true)
                       .text("directory", options.directory.string())
                       .text("node", options.node)
                       .number("iteration", id.iteration)
                       .number("term", id.term)
                       .raw("imported", fmt::format("[{}]", fmt::join(taken, ",")))
                       .raw("initial", fmt::format("[{}]", fmt::join(initial, ",")))
                       .str()
                << '\n';
    return;
  }
  console.out << options.directory.string() << '@' << id.iteration << '\n';
  console.err << one_line(fmt::format(
                     "{} tensors of the {}, {} as a new job has them; slime train {} --resume "
                     "--set checkpoint.directory={} begins with them",
                     taken.size(), source.kind, initial.size(), options.job.string(),
                     options.directory.string()))
              << '\n';
}

}  // namespace

void declare_job_beginning(CLI::App& parser, JobBeginning& options) {
  parser
      .add_option("directory", options.directory,
                  "the job's checkpoint.directory; made if there is none")
      ->type_name("DIRECTORY")
      ->required();
  parser.add_option("--job", options.job, "whose model they fit")
      ->type_name("JOB.toml")
      ->required();
  parser
      .add_option("--set", options.sets, "a setting of the job, as slime train has it; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  parser
      .add_option("--map", options.maps,
                  "tensor FROM of the source is TO in the job's model; repeatable")
      ->type_name("FROM=TO")
      ->allow_extra_args(false);
  parser.add_option("--only", options.only, "tensors of the source whose name matches; repeatable")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  parser
      .add_option("--node", options.node, "the head that will resume, if it has a name of its own")
      ->type_name("NAME")
      ->capture_default_str();
  parser.add_flag("--allow-missing", options.allow_missing,
                  "begin with a new job's values where the source has none");
  parser.add_flag("--json", options.json, "what was made, as JSON");
}

ExitCode begin_job(const Console& console, std::string_view command, const JobBeginning& options,
                   const TensorSource& source) {
  const auto failed = [&](const Error& error) {
    return report(console, command, error, options.json);
  };
  if (options.node.empty() || options.node.front() == '.' ||
      options.node.find('/') != std::string::npos)
    return failed(
        {Errc::invalid_argument, fmt::format("--node: \"{}\" names no node", options.node)});
  const auto settings = load_job({options.job, console.environment, options.sets}, known_names());
  if (!settings) return failed(settings.error());
  const auto tensors_of_source = source.open();
  if (!tensors_of_source) return failed(tensors_of_source.error());
  const TensorFileReader& reader = **tensors_of_source;
  const auto model = settings->job.read([](auto job) { return model_of(job); });
  if (!model) return failed(model.error());
  const auto tensors = plan(reader, *model, options, source);
  if (!tensors) return failed(tensors.error());
  const auto id = store(reader, settings->job, *model, *tensors, options);
  if (!id) return failed(id.error());
  tell(console, options, source, *id, *tensors);
  return ExitCode::ok;
}

}  // namespace slime::tools
