#pragma once

#include <capnp/message.h>
#include <capnp/schema.h>
#include <capnp/serialize.h>
#include <kj/exception.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "runtime/base/error.hpp"
#include "runtime/wire/flat_builder.hpp"
#include "runtime/wire/words.hpp"

namespace slime::runtime {

/// What travels between actors: the 64-bit Cap'n Proto id of the message's type and its immutable
/// words. Actor references inside a message are plain `ActorAddress` data. In a process a message
/// is a pointer; nothing is copied.
struct AnyMessage {
  std::uint64_t type = 0;  ///< 0: no message.
  Words words;
};

/// Cap'n Proto's id of schema type `T`.
template <class T>
constexpr std::uint64_t type_id() {
  return capnp::typeId<T>();
}

/// Limits under which received words are read: each reader may visit the message's words a few
/// times over, so that a hostile message cannot make it loop, and large ones are not refused.
inline capnp::ReaderOptions reader_options(std::size_t words) {
  return capnp::ReaderOptions{.traversalLimitInWords = 8 * words + 1024, .nestingLimit = 32};
}

/// An immutable, shareable Cap'n Proto message of schema type `T`.
///
/// Copies share one block. Each `read` makes a fresh reader, because Cap'n Proto's traversal
/// counter is neither thread-safe nor reset.
template <class T>
class Message {
 public:
  using Schema = T;

  /// Builds a message; `fill` receives the `T::Builder` root.
  /// @param words_hint  Expected size in 8-byte words; give it for messages over 2 KiB.
  template <class Fill>
  static Message make(Fill&& fill, std::size_t words_hint = 256) {
    FlatBuilder builder(words_hint);
    std::forward<Fill>(fill)(builder.initRoot<T>());
    return Message(builder.finish());
  }
  static Message make() {
    return make([](typename T::Builder) {});
  }

  /// A message whose root is a copy of `root`.
  static Message copy(typename T::Reader root) {
    FlatBuilder builder(static_cast<std::size_t>(root.totalSize().wordCount) + 16);
    builder.setRoot(root);
    return Message(builder.finish());
  }

  /// The typed view of `message`. Errors: invalid_argument (another type).
  static Result<Message> from(const AnyMessage& message) {
    if (message.type != type_id<T>())
      return Error{Errc::invalid_argument, "reading a message: it is of another type"};
    return Message(message.words);
  }
  /// The same for words from elsewhere that are read where an exception has nowhere to go: looks
  /// through the whole message first. Errors: also corruption (its words are malformed).
  static Result<Message> checked(const AnyMessage& message) {
    auto typed = from(message);
    if (!typed) return typed;
    try {
      typed->read([](typename T::Reader root) { static_cast<void>(root.totalSize()); });
    } catch (const kj::Exception& malformed) {
      return Error{Errc::corruption, std::string("reading a message: it is malformed: ") +
                                         malformed.getDescription().cStr()};
    }
    return typed;
  }
  /// A view of stored words that are known to hold a `T`.
  static Message adopt(Words words) { return Message(std::move(words)); }

  /// Reads as `T` with every field at its default.
  Message() = default;

  /// Calls `use` with a `T::Reader` that is valid for the duration of the call.
  /// Throws kj::Exception when the words are malformed; a host turns that into the actor's death.
  template <class Use>
  decltype(auto) read(Use&& use) const {
    if (words_.count() == 0) return std::forward<Use>(use)(typename T::Reader());
    capnp::FlatArrayMessageReader reader(
        kj::arrayPtr(reinterpret_cast<const capnp::word*>(words_.data()), words_.count()),
        reader_options(words_.count()));
    return std::forward<Use>(use)(reader.getRoot<T>());
  }

  AnyMessage any() const { return AnyMessage{type_id<T>(), words_}; }
  const Words& words() const { return words_; }

 private:
  explicit Message(Words words) : words_(std::move(words)) {}

  Words words_;
};

/// The floats of a Data field. The view lives as long as the message.
/// Precondition: the field was written as whole little-endian floats.
inline std::span<const float> as_floats(capnp::Data::Reader data) {
  return {reinterpret_cast<const float*>(data.begin()), data.size() / sizeof(float)};
}

}  // namespace slime::runtime
