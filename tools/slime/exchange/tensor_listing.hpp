#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/error.hpp"
#include "tools/slime/exchange/tensor_file.hpp"

namespace slime::tools {

/// Numbers in a tensor of that shape; nothing when there are more than any model has.
std::optional<std::uint64_t> numbers_in(std::span<const std::uint64_t> shape);

/// The tensors that a file of unknown origin names, checked one by one as they are read.
class TensorListing {
 public:
  static constexpr std::size_t tensors_max = 1U << 16;
  static constexpr std::size_t name_bytes_max = 256;
  static constexpr std::size_t dimensions_max = 32;

  /// Errors: corruption (a name that is empty, too long, no text or there already; a shape that is
  /// impossible; too many tensors). The context does not name the file.
  Status add(FileTensor tensor);
  std::span<const FileTensor> tensors() const { return tensors_; }

 private:
  std::vector<FileTensor> tensors_;
  std::set<std::string, std::less<>> names_;
};

/// `did you mean "0.bias"?`, or `there are 0.weight, 0.bias and 3 more` when none is near. Looks at
/// the first few hundred of `names` only, so that a long list costs neither time nor a long text.
std::string tensor_advice(std::string_view name, std::span<const std::string> names);

}  // namespace slime::tools
