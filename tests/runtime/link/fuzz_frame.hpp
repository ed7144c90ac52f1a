#pragma once

#include <cstddef>
#include <cstdint>

namespace slime::runtime {

/// Feeds `data` to an `Inbox` as a connection would, in pieces that the data itself decides, and
/// reads the control messages that come out. Shaped like a libFuzzer entry: always returns 0;
/// crashes, sanitizer reports and an allocation above the limit are the findings.
int fuzz_frame(const std::uint8_t* data, std::size_t size);

}  // namespace slime::runtime
