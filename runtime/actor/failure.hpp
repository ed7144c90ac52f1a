#pragma once

#include <optional>

#include "runtime/base/error.hpp"
#include "runtime/wire/message.hpp"

namespace slime::runtime {

/// `error` as the message that crosses the host boundary and the link.
AnyMessage to_failure(const Error& error);

/// The error that `message` carries; none when it is not a `schema::Failure`.
std::optional<Error> failure_of(const AnyMessage& message);

}  // namespace slime::runtime
