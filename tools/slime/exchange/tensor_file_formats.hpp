#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "runtime/base/error.hpp"
#include "tools/slime/exchange/new_file.hpp"
#include "tools/slime/exchange/tensor_file.hpp"
#include "trainer/model/tensors.hpp"

namespace slime::tools {

/// A kind of file in which parameters are exchanged with other programs.
struct TensorFileFormat {
  std::string_view name;
  std::string_view extension;  ///< Of its files, with the point.
  /// Errors: not_found, corruption, io_error.
  Result<std::unique_ptr<TensorFileReader>> (*read)(const std::filesystem::path& path);
  /// `file` must outlive the writer, which does not commit it. Errors: io_error.
  Result<std::unique_ptr<TensorFileWriter>> (*write)(NewFile& file,
                                                     std::span<const trainer::TensorInfo> tensors,
                                                     const FileMetadata& metadata);
};

/// Every format. A new one is a reader, a writer and a line in tensor_file_formats.cpp.
std::span<const TensorFileFormat> tensor_file_formats();

/// The format of `path`, by its extension. It lives for ever. Errors: invalid_argument (the context
/// says which there are).
Result<const TensorFileFormat*> tensor_file_format(const std::filesystem::path& path);

}  // namespace slime::tools
