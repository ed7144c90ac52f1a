#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "runtime/base/error.hpp"
#include "trainer/data/dataset.hpp"

namespace slime::trainer {

/// Names of all data formats.
std::span<const std::string_view> format_names();

/// Loads one dataset. Which files a format wants, and in what order, stands in its header.
/// Blocks on the disk. Errors: invalid_argument (no such format, wrong number of files, files that
/// do not belong together), not_found, corruption, io_error; each names the file, what was expected
/// and what was found.
Result<Dataset> load_dataset(std::string_view format, std::span<const std::filesystem::path> files);

struct TrainingData {
  Dataset train;
  Dataset test;
};

/// Loads both sets and standardises both with mean and deviation of the training set. Besides the
/// errors of `load_dataset`: invalid_argument (samples of different shapes, or a test label beyond
/// the training set's classes).
Result<TrainingData> load_training_data(std::string_view format,
                                        std::span<const std::filesystem::path> train,
                                        std::span<const std::filesystem::path> test);

}  // namespace slime::trainer
