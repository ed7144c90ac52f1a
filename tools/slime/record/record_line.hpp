#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "runtime/base/error.hpp"
#include "schemas/record.capnp.h"

namespace slime::tools {

/// Of the format that is written, and the newest that can be read.
inline constexpr std::uint32_t record_format = 1;

/// What `fill` makes of a `schema::RecordLine`, as one line of a record file, its end included.
/// Bytes of texts that are no UTF-8 become U+FFFD.
std::string record_line(const std::function<void(schema::RecordLine::Builder)>& fill);

/// Hands `use` what stands in `line`, valid for the duration of the call; the numbers in it may be
/// anything. Returns what `use` does. Errors: corruption (not such a line, and
/// what is wrong with it).
Status read_record_line(std::string_view line,
                        const std::function<Status(schema::RecordLine::Reader)>& use);

}  // namespace slime::tools
