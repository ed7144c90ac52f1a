#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "runtime/base/error.hpp"
#include "trainer/compute/backend.hpp"

namespace slime::trainer {

/// Names of the backends, best first.
std::span<const std::string_view> backend_names();

/// Makes the backend of that name, or for "auto" the first of `backend_names()` that works here.
/// Errors: invalid_argument (no such name, or it cannot work here; says which and why).
Result<std::unique_ptr<Backend>> make_backend(std::string_view name);

}  // namespace slime::trainer
