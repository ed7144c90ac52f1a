#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/error.hpp"
#include "tools/slime/exchange/exchanged_tensors.hpp"
#include "tools/slime/exchange/name_globs.hpp"
#include "tools/slime/exchange/tensor_file.hpp"

namespace slime::tools {

/// How the tensors of a file become those of a job's model.
struct AssignmentRules {
  std::vector<std::pair<std::string, std::string>> renames;  ///< In the file, in the model.
  NameGlobs only;                    ///< Of the names in the file; the others are left aside.
  bool allow_missing = false;        ///< The file need not have all values of the model.
  std::string_view source = "file";  ///< What the tensors are read from; for people.
};

/// Finds for each of `wanted` the tensor of the file that it gets its numbers from, by its position
/// in `found`; nothing where the file has none, which is allowed for what an optimizer remembers,
/// and by the rules. Errors: invalid_argument; the context lists what does not fit, with the shapes
/// found and wanted, or the nearest name.
Result<std::vector<std::optional<std::size_t>>> assign_tensors(
    std::span<const FileTensor> found, std::span<const CheckpointTensor> wanted,
    const AssignmentRules& rules);

/// "FROM=TO", cut at the last '='. Errors: invalid_argument.
Result<std::pair<std::string, std::string>> parse_rename(const std::string& text);

}  // namespace slime::tools
