#pragma once

#include <capnp/message.h>

#include <cstddef>
#include <vector>

#include "runtime/wire/words.hpp"

namespace slime::runtime {

/// Builds a Cap'n Proto message in a pooled block with room for the segment table in front, so
/// that a message that fits its first segment becomes `Words` without a copy.
///
/// Used once: after `finish` the builder may only be destroyed. Confined to one thread.
class FlatBuilder final : public capnp::MessageBuilder {
 public:
  /// @param words_hint  Expected size of the whole message; a message that outgrows it is copied
  ///                    once when it is finished.
  explicit FlatBuilder(std::size_t words_hint);
  ~FlatBuilder() noexcept(false) override;

  kj::ArrayPtr<capnp::word> allocateSegment(unsigned minimum_words) override;

  /// The message in flat stream format.
  Words finish();

 private:
  std::size_t words_hint_;
  std::vector<Block*> segments_;
};

}  // namespace slime::runtime
