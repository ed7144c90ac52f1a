#pragma once

#include <caf/error.hpp>

#include "runtime/base/error.hpp"
#include "schemas/link.capnp.h"

namespace slime::runtime {

/// Our error as CAF carries it: category "slime", the code, and the context as a string.
caf::error to_caf(const Error& error);

/// Back again. Errors of CAF's own categories become the nearest code with CAF's text as context.
/// Precondition: `error` is one.
Error from_caf(const caf::error& error);

/// Fills a schema failure so that `read_failure` gives back an equal error, CAF's own categories
/// included; contexts other than a string are rendered as text, and one too long for a control
/// frame loses its end.
void write_failure(const caf::error& error, schema::LinkFailure::Builder out);
caf::error read_failure(schema::LinkFailure::Reader failure);

}  // namespace slime::runtime
