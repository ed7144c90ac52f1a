#pragma once

#include <span>
#include <string_view>

#include "runtime/base/error.hpp"

namespace slime::trainer {

/// The error for a name that an explicit list does not hold: says what was wanted, what is allowed
/// and, when one is close enough to be a slip of the keyboard, which name was probably meant.
/// @param what  What is named, such as "optimizer".
/// Always invalid_argument.
Error unknown_name(std::string_view what, std::string_view name,
                   std::span<const std::string_view> known);

}  // namespace slime::trainer
