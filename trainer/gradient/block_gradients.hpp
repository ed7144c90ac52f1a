#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/error.hpp"
#include "trainer/compute/backend.hpp"
#include "trainer/data/formats.hpp"
#include "trainer/data/sampler.hpp"
#include "trainer/gradient/gradient_sum.hpp"
#include "trainer/model/model.hpp"

namespace slime::trainer {

/// What a worker computes: gradients of blocks of the job's samples, and scores on its test set.
/// Data, model and backend together. Not thread-safe; calls take as long as computing takes.
class BlockGradients {
 public:
  struct Settings {
    std::string format;
    std::vector<std::string> train_files, test_files;
    std::vector<std::string> layers;
    std::string device;
    std::uint32_t batch = 0, block = 0;
    std::uint64_t seed = 0;
  };

  /// Loads the data, builds the model, makes the backend. Blocks on the disk. Errors: those of
  /// load_training_data, Model::build, make_backend; invalid_argument when the model has fewer
  /// outputs than the data have classes.
  static Result<std::unique_ptr<BlockGradients>> make(const Settings& settings);

  /// The same with data that are in memory; what `settings` says of files does not count.
  static Result<std::unique_ptr<BlockGradients>> make(const Settings& settings, TrainingData data);

  const Model& model() const { return model_; }
  const TrainingData& data() const { return data_; }
  std::string device() const { return backend_->description(); }
  /// Equal on nodes that hold the same data.
  std::uint64_t data_hash() const;
  /// Hash of the gradient of the first block of the job at the initial parameters: equal on nodes
  /// whose arithmetic gives equal bits.
  std::uint64_t probe_hash();

  /// Adds the gradient of these blocks of `iteration` at `parameters` to `sum`. Errors:
  /// invalid_argument (a gradient that `sum` cannot hold; names iteration and samples).
  Status add(std::uint64_t iteration, std::span<const std::uint32_t> blocks,
             std::span<const float> parameters, GradientSum& sum);

  /// Score on test samples [first, first + count). Precondition: they exist.
  BatchScore evaluate(std::uint64_t first, std::uint64_t count, std::span<const float> parameters);

 private:
  BlockGradients(TrainingData data, Model model, std::unique_ptr<Backend> backend, Sampler sampler,
                 std::uint64_t seed);
  Batch gather(const Dataset& dataset, std::span<const std::uint32_t> samples);

  TrainingData data_;
  Model model_;
  std::unique_ptr<Backend> backend_;
  Workspace workspace_;
  Sampler sampler_;
  std::uint64_t seed_;
  std::vector<float> inputs_;
  std::vector<std::uint32_t> labels_;
  std::vector<std::uint32_t> chosen_;
};

}  // namespace slime::trainer
