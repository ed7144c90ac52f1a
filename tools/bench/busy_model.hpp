#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

namespace slime::bench {

/// Parameters with one optimizer slot.
struct Model {
  explicit Model(std::uint64_t parameters) : values(parameters), momentum(parameters) {}

  std::uint64_t bytes() const { return (values.size() + momentum.size()) * sizeof(float); }

  std::vector<float> values, momentum;
};

/// Threads that apply gradients to a model without a pause, as its shards do when workers keep them
/// busy. They end with the object.
class BusyModel {
 public:
  BusyModel(Model& model, std::size_t threads);

  /// Blocks that took a gradient so far.
  std::uint64_t steps() const { return steps_.load(); }
  /// Each thread copies its share of the model between two steps, as a shard does that is asked to
  /// save. Returns when all have. Precondition: `copy` is as large.
  void copy_to(Model& copy);

 private:
  struct Request {
    Request(Model& to, std::size_t threads)
        : copy(to), done(static_cast<std::ptrdiff_t>(threads)) {}

    Model& copy;
    std::latch done;
  };

  void run(const std::stop_token& stop, std::size_t first, std::size_t end);

  Model& model_;
  std::atomic<std::uint64_t> steps_ = 0;
  std::atomic<std::uint64_t> asked_ = 0;
  std::unique_ptr<Request> request_;
  std::vector<std::jthread> threads_;  // They use all of the above.
};

}  // namespace slime::bench
