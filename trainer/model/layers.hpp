#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "runtime/base/error.hpp"
#include "trainer/model/layer.hpp"

namespace slime::trainer {

struct LayerKind {
  std::string_view name;
  std::string_view usage;    ///< How to write it.
  std::string_view example;  ///< A legal entry.
};

/// Every layer there is.
std::span<const LayerKind> layer_kinds();

/// Makes a layer from an entry such as "dense 512 relu", for samples of `inputs` values.
/// Errors: invalid_argument (unknown kind, or arguments that are not as its usage says).
Result<std::unique_ptr<Layer>> make_layer(std::string_view entry, std::size_t inputs);

}  // namespace slime::trainer
