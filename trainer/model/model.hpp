#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/error.hpp"
#include "trainer/compute/backend.hpp"
#include "trainer/model/layer.hpp"

namespace slime::trainer {

/// A parameter tensor and where it lies among the model's flat parameters.
struct Tensor {
  std::string name;  ///< "0.weight": position of the layer, name within it.
  std::vector<std::size_t> shape;
  std::size_t offset = 0;  ///< Of its first value; tensors follow each other without gaps.
  std::size_t size = 0;
  double initial_bound = 0;
};

/// Samples to compute on; refers to memory of the caller.
struct Batch {
  std::span<const float> inputs;  ///< Row-major, one row per sample.
  std::span<const std::uint32_t> labels;
};

/// The scratch memory of one computing thread, and the backend it computes with. It grows to the
/// largest batch seen and is then reused without allocating. The backend must outlive it.
class Workspace {
 public:
  explicit Workspace(Backend& backend) : backend_(backend) {}

 private:
  friend class Model;

  Backend& backend_;
  std::vector<std::vector<float>> outputs_;  ///< Per layer.
  std::vector<float> deltas_;                ///< Of a layer's outputs.
  std::vector<float> next_deltas_;           ///< Of its inputs, while they are computed.
};

/// A feed-forward classifier: layers, then softmax with cross-entropy loss. A single "dense 10" is
/// softmax regression. It describes; parameters are the caller's, as flat float32 in model order.
/// Immutable after `build`, so any thread may use it, each with a workspace of its own. No call
/// blocks. Spans of the wrong size, empty batches, and labels from `classes()` on are bugs and
/// assert.
class Model {
 public:
  /// @param layers  Entries such as "dense 512 relu", first to last; see layers.hpp.
  /// Errors: invalid_argument (says which entry and what may stand there).
  static Result<Model> build(std::span<const std::string> layers, std::size_t input_size);

  std::size_t input_size() const { return layers_.front().layer->inputs(); }
  std::size_t classes() const { return layers_.back().layer->outputs(); }
  std::size_t parameter_count() const;
  std::span<const Tensor> tensors() const { return tensors_; }

  /// Whether labels of that many classes may be given to this model. Errors: invalid_argument.
  Status check_classes(std::size_t data_classes) const;

  /// Writes initial parameters `first` and up. They depend on the seed and their position only, so
  /// any range can be made anywhere; tensor number i is drawn from a generator of its own.
  void initialise(std::uint64_t seed, std::size_t first, std::span<float> out) const;

  /// Sets `gradient_sum` to, or increases it by, the sum (not the mean) over the batch of
  /// d(loss)/d(parameters). With `overwrite` equal arguments give equal bits on every machine whose
  /// backend has the same description; how a sum is cut into calls matters for the last bits.
  BatchScore gradient(Workspace& workspace, std::span<const float> parameters, const Batch& batch,
                      Store store, std::span<float> gradient_sum) const;
  /// Loss and hits of the batch; changes nothing but the workspace.
  BatchScore evaluate(Workspace& workspace, std::span<const float> parameters,
                      const Batch& batch) const;

 private:
  struct Placed {
    std::unique_ptr<const Layer> layer;
    std::size_t offset = 0;  ///< Of its parameters.
    std::size_t size = 0;
  };

  /// Runs all layers and leaves d(loss)/d(scores) in the workspace's deltas.
  BatchScore forward(Workspace& workspace, std::span<const float> parameters,
                     const Batch& batch) const;

  std::vector<Placed> layers_;
  std::vector<Tensor> tensors_;
};

}  // namespace slime::trainer
