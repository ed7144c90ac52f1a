#include "tools/slime/simulation/shared_gradients.hpp"

#include <utility>

namespace slime::tools {

namespace {

trainer::Dataset dataset(std::uint64_t samples) {
  trainer::Dataset::Contents contents{.shape = {1}, .values = {}, .labels = {}};
  contents.values.resize(samples);
  for (std::uint64_t i = 0; i < samples; ++i) contents.values[i] = static_cast<std::uint8_t>(i % 2);
  contents.labels = contents.values;
  return trainer::Dataset(std::move(contents));
}

}  // namespace

class SharedGradients::Source final : public actors::GradientSource {
 public:
  explicit Source(SharedGradients& shared) : shared_(shared) {}
  Result<trainer::BlockGradients*> open(
      const trainer::BlockGradients::Settings& settings) override {
    return shared_.open(settings);
  }

 private:
  SharedGradients& shared_;
};

SharedGradients::SharedGradients(std::uint64_t samples)
    : SharedGradients(trainer::TrainingData{dataset(samples), dataset(2)}) {}

std::unique_ptr<actors::GradientSource> SharedGradients::source() {
  return std::make_unique<Source>(*this);
}

Result<trainer::BlockGradients*> SharedGradients::open(
    const trainer::BlockGradients::Settings& settings) {
  if (!gradients_) {
    auto made = trainer::BlockGradients::make(settings, data_);
    if (!made) return made.error();
    gradients_ = std::move(made).value();
  }
  return gradients_.get();
}

}  // namespace slime::tools
