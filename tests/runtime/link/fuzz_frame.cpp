#include "tests/runtime/link/fuzz_frame.hpp"

#include <capnp/serialize.h>
#include <kj/exception.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "runtime/link/inbox.hpp"
#include "runtime/wire/message.hpp"
#include "schemas/link.capnp.h"

namespace slime::runtime {

namespace {

constexpr std::size_t limit = std::size_t{4} << 20;

struct Sink : FrameSink {
  std::uint64_t sum = 0;

  Status on_message(const MessageHead&, Words words) override {
    if (words.bytes() > limit) std::abort();
    for (std::size_t i = 0; i < words.count(); ++i) sum += words.data()[i];
    return ok();
  }
  Status on_control(std::span<const std::uint64_t> words) override {
    try {
      capnp::FlatArrayMessageReader reader(
          kj::arrayPtr(reinterpret_cast<const capnp::word*>(words.data()), words.size()),
          reader_options(words.size()));
      sum += kj::str(reader.getRoot<schema::LinkControl>()).size();
      return ok();
    } catch (const kj::Exception&) {
      return Error{Errc::corruption, "malformed"};
    }
  }
};

}  // namespace

int fuzz_frame(const std::uint8_t* data, std::size_t size) {
  Inbox inbox(limit);
  Sink sink;
  const std::size_t piece = size == 0 ? 1 : 1 + std::size_t{data[size / 2]} * 16;
  for (std::size_t at = 0; at < size;) {
    const auto space = inbox.space();
    const std::size_t count = std::min({piece, space.size(), size - at});
    std::memcpy(space.data(), data + at, count);
    at += count;
    if (!inbox.received(count, sink)) return 0;
  }
  return 0;
}

}  // namespace slime::runtime
