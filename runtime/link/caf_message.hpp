#pragma once

#include <caf/allowed_unsafe_message_type.hpp>

#include "runtime/wire/message.hpp"

// The one type that actors exchange. CAF's own serializers never see it: the link carries the
// words as they are.
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(slime::runtime::AnyMessage)
