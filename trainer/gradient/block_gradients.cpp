#include "trainer/gradient/block_gradients.hpp"

#include <filesystem>
#include <numeric>

#include "trainer/compute/backends.hpp"

namespace slime::trainer {

namespace {

// Rows computed at once when only scores are wanted; bounds the workspace.
constexpr std::uint64_t evaluation_rows = 256;

std::uint64_t fnv1a(std::span<const std::byte> bytes, std::uint64_t hash = 0xcbf29ce484222325ULL) {
  for (std::byte byte : bytes) hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3ULL;
  return hash;
}

std::vector<std::filesystem::path> paths(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

}  // namespace

Result<std::unique_ptr<BlockGradients>> BlockGradients::make(const Settings& settings) {
  auto data =
      load_training_data(settings.format, paths(settings.train_files), paths(settings.test_files));
  if (!data) return data.error();
  return make(settings, std::move(data).value());
}

Result<std::unique_ptr<BlockGradients>> BlockGradients::make(const Settings& settings,
                                                             TrainingData data) {
  auto model = Model::build(settings.layers, data.train.input_size());
  if (!model) return model.error();
  if (model->classes() < data.train.classes())
    return Error{Errc::invalid_argument,
                 "building the model: its last layer has " + std::to_string(model->classes()) +
                     " outputs, the data have " + std::to_string(data.train.classes()) +
                     " classes; give the last layer as many"};
  auto backend = make_backend(settings.device);
  if (!backend) return backend.error();
  auto sampler = Sampler::make(
      {.samples = data.train.samples(), .batch = settings.batch, .block = settings.block},
      settings.seed);
  if (!sampler) return sampler.error();
  return std::unique_ptr<BlockGradients>(
      new BlockGradients(std::move(data), std::move(model).value(), std::move(backend).value(),
                         std::move(sampler).value(), settings.seed));
}

BlockGradients::BlockGradients(TrainingData data, Model model, std::unique_ptr<Backend> backend,
                               Sampler sampler, std::uint64_t seed)
    : data_(std::move(data)),
      model_(std::move(model)),
      backend_(std::move(backend)),
      workspace_(*backend_),
      sampler_(std::move(sampler)),
      seed_(seed) {}

std::uint64_t BlockGradients::data_hash() const {
  const std::uint64_t hashes[] = {data_.train.content_hash(), data_.test.content_hash()};
  return fnv1a(std::as_bytes(std::span(hashes)));
}

std::uint64_t BlockGradients::probe_hash() {
  std::vector<float> parameters(model_.parameter_count());
  model_.initialise(seed_, 0, parameters);
  std::vector<float> gradient(parameters.size());
  model_.gradient(workspace_, parameters, gather(data_.train, sampler_.samples_of(0, 0)),
                  Store::overwrite, gradient);
  return fnv1a(std::as_bytes(std::span<const float>(gradient)));
}

Batch BlockGradients::gather(const Dataset& dataset, std::span<const std::uint32_t> samples) {
  inputs_.resize(samples.size() * dataset.input_size());
  labels_.resize(samples.size());
  dataset.gather(samples, inputs_, labels_);
  return Batch{inputs_, labels_};
}

Status BlockGradients::add(std::uint64_t iteration, std::span<const std::uint32_t> blocks,
                           std::span<const float> parameters, GradientSum& sum) {
  std::size_t at = 0;
  while (at < blocks.size()) {
    // Adjacent blocks are computed at once, unless each must be rounded alone.
    std::size_t count = 1;
    while (!sum.reproducible() && at + count < blocks.size() &&
           blocks[at + count] == blocks[at] + count)
      ++count;
    const auto samples =
        sampler_.samples_of(iteration, blocks[at], static_cast<std::uint32_t>(count));
    model_.gradient(workspace_, parameters, gather(data_.train, samples),
                    sum.scratch_is_fresh() ? Store::overwrite : Store::accumulate, sum.scratch());
    if (Status taken = sum.take_scratch(); !taken)
      return Error{taken.error().code,
                   "summing the gradient of " +
                       sampler_.plan().describe(iteration, blocks.subspan(at, count)) + ": " +
                       taken.error().context};
    at += count;
  }
  return ok();
}

BatchScore BlockGradients::evaluate(std::uint64_t first, std::uint64_t count,
                                    std::span<const float> parameters) {
  BatchScore score;
  for (std::uint64_t done = 0; done < count; done += evaluation_rows) {
    chosen_.resize(std::min(evaluation_rows, count - done));
    std::iota(chosen_.begin(), chosen_.end(), static_cast<std::uint32_t>(first + done));
    score += model_.evaluate(workspace_, parameters, gather(data_.test, chosen_));
  }
  return score;
}

}  // namespace slime::trainer
