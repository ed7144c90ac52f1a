#pragma once

#include <kj/async-io.h>

#include <cstdint>
#include <vector>

#include "runtime/base/error.hpp"
#include "runtime/link/link_settings.hpp"
#include "runtime/wire/words.hpp"

namespace slime::runtime {

/// The words of a handshake message, preamble taken off and checked.
using Opening = std::vector<std::uint64_t>;

/// Reads a preamble and what it announces, no byte more. `stream` outlives the promise.
/// Errors: see `check_preamble`; unavailable (closed, or nothing came in time).
kj::Promise<Result<Opening>> read_opening(kj::AsyncIoStream& stream, kj::Timer& timer,
                                          const LinkSettings& settings);

/// Writes `words`; a failed write shows up when the stream is read.
kj::Promise<void> write_opening(kj::AsyncIoStream& stream, Words words);

/// Sets what every connection has: no delay, and the settings' congestion control.
void tune(kj::AsyncIoStream& stream, const LinkSettings& settings);

kj::Duration to_kj(Duration duration);
/// What KJ says, without the source position it puts in front.
std::string text_of(const kj::Exception& exception);

}  // namespace slime::runtime
