#include "tests/cluster/tiny_job.hpp"

#include <cstdint>
#include <random>

namespace slime::tests {

namespace {

constexpr unsigned side = 8;
constexpr unsigned classes = 10;

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xff);
  return bytes;
}

/// Each class has a pattern of its own; half of the points of a sample are noise.
std::string make_images(unsigned samples, unsigned seed) {
  std::string bytes = big_endian(0x803) + big_endian(samples) + big_endian(side) + big_endian(side);
  std::mt19937 noise(seed);
  for (unsigned sample = 0; sample < samples; ++sample) {
    std::mt19937 pattern(sample % classes);
    for (unsigned point = 0; point < side * side; ++point) {
      const auto own = static_cast<char>(pattern() & 0xff);
      const auto other = static_cast<char>(noise() & 0xff);
      bytes += (noise() & 1) != 0 ? own : other;
    }
  }
  return bytes;
}

std::string make_labels(unsigned samples) {
  std::string bytes = big_endian(0x801) + big_endian(samples);
  for (unsigned sample = 0; sample < samples; ++sample)
    bytes += static_cast<char>(sample % classes);
  return bytes;
}

constexpr std::string_view settings = R"(name = "tiny"
workers = 2
shards = 2
epochs = 6
batch = 64
block = 16
seed = 7
reduction = "reproducible"
device = "cpu"

[sync]
mode = "bsp"

[balance]
policy = "equal"

[model]
layers = ["dense 256 relu", "dense 10"]

[optimizer]
kind = "sgd"
learning_rate = 0.05
momentum = 0.9

[checkpoint]
every_iterations = 10
)";

}  // namespace

TinyJob::TinyJob(const TempDir& folder) : folder_(folder.path()) {
  folder.write("train-images", make_images(640, 1));
  folder.write("train-labels", make_labels(640));
  folder.write("test-images", make_images(100, 2));
  folder.write("test-labels", make_labels(100));
  const auto quoted = [&](const char* name) { return "\"" + (folder_ / name).string() + "\""; };
  folder.write("job.toml", std::string(settings) + "directory = " + quoted("checkpoints") +
                               "\n\n[data]\ntrain = [" + quoted("train-images") + ", " +
                               quoted("train-labels") + "]\ntest = [" + quoted("test-images") +
                               ", " + quoted("test-labels") + "]\n");
}

}  // namespace slime::tests
