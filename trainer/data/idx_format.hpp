#pragma once

#include <filesystem>
#include <span>

#include "runtime/base/error.hpp"
#include "trainer/data/dataset.hpp"

namespace slime::trainer {

/// Loads the format of MNIST and its successors: two idx files, images (samples x rows x columns)
/// and labels (samples), in this order, each gzipped or not. Blocks on the disk.
/// Errors: invalid_argument (not two files, different counts), not_found, corruption, io_error.
Result<Dataset> load_idx(std::span<const std::filesystem::path> files);

}  // namespace slime::trainer
