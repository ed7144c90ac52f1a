#pragma once

#include <vector>

#include "storage/manifest.hpp"
#include "trainer/model/tensors.hpp"

namespace slime::tools {

/// The tensors of the model that a checkpoint holds, in model order, as the job named them when it
/// wrote it. Their names may be any text. Precondition: `manifest` is well-formed.
std::vector<trainer::TensorInfo> stored_tensors(const storage::Manifest& manifest);

/// Where value number `at` of a tensor of that shape lies: its index along each dimension,
/// "[3, 17]". Precondition: `at` is below the product of the shape.
std::string index_text(std::span<const std::uint64_t> shape, std::uint64_t at);

}  // namespace slime::tools
