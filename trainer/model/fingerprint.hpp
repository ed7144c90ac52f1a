#pragma once

#include <span>
#include <string>

#include "runtime/base/error.hpp"

namespace slime::trainer {

/// SHA-256, as 64 lower-case hexadecimal digits, over the float32 little-endian values: of a
/// model's parameters in model order this is `parameters_sha256`, of a probe block's gradient it
/// tells whether two workers compute alike. Errors: internal (the library failed).
Result<std::string> sha256(std::span<const float> values);

}  // namespace slime::trainer
