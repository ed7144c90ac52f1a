#include "trainer/data/formats.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "trainer/data/idx_format.hpp"
#include "trainer/names/named_list.hpp"
#include "trainer/names/unknown_name.hpp"

namespace slime::trainer {

namespace {

using Files = std::span<const std::filesystem::path>;

struct Entry {
  std::string_view name;
  Result<Dataset> (*load)(Files files);
};

constexpr std::array entries{
    Entry{"idx", load_idx},
};
constexpr auto names = names_of(entries);

std::string to_text(std::span<const std::size_t> shape) {
  std::string text;
  for (std::size_t extent : shape) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text;
}

}  // namespace

std::span<const std::string_view> format_names() {
  return names;
}

Result<Dataset> load_dataset(std::string_view format, Files files) {
  const Entry* entry = find_named(entries, format);
  if (entry == nullptr) return unknown_name("data format", format, names);
  return entry->load(files);
}

Result<TrainingData> load_training_data(std::string_view format, Files train, Files test) {
  auto training = load_dataset(format, train);
  if (!training) return Error{training.error().code, "training set: " + training.error().context};
  auto testing = load_dataset(format, test);
  if (!testing) return Error{testing.error().code, "test set: " + testing.error().context};
  TrainingData data{std::move(training).value(), std::move(testing).value()};
  if (!std::ranges::equal(data.train.shape(), data.test.shape()))
    return Error{Errc::invalid_argument, "samples are " + to_text(data.train.shape()) +
                                             " in the training set but " +
                                             to_text(data.test.shape()) + " in the test set"};
  if (data.test.classes() > data.train.classes())
    return Error{Errc::invalid_argument, "the test set has label " +
                                             std::to_string(data.test.classes() - 1) +
                                             ", the largest in the training set is " +
                                             std::to_string(data.train.classes() - 1)};
  const Standardisation standardisation = data.train.measure();
  data.train.standardise(standardisation);
  data.test.standardise(standardisation);
  return data;
}

}  // namespace slime::trainer
