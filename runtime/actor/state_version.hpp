#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "runtime/base/error.hpp"
#include "runtime/wire/message.hpp"

namespace slime::runtime {

/// A durable actor's state as it is kept.
struct VersionedState {
  AnyMessage state;
  std::uint32_t version = 0;  ///< As the actor's author counts them.
};

/// How a state of one version becomes one of the next. Added fields need none: those Cap'n Proto
/// understands by itself. Words in, words out; calls nobody and has no side effect.
struct Upcaster {
  std::uint32_t from = 0;  ///< It makes version `from + 1`.
  std::function<Result<AnyMessage>(const AnyMessage&)> convert;
};

/// The upcaster of a state of schema `From`, `from` its version: `convert` gets a `From::Reader`
/// and the `To::Builder` to fill.
template <class From, class To, class Convert>
Upcaster upcaster(std::uint32_t from, Convert convert) {
  return {from, [convert = std::move(convert)](const AnyMessage& words) -> Result<AnyMessage> {
            const auto old = Message<From>::checked(words);
            if (!old) return old.error();
            return Message<To>::make(
                       [&](typename To::Builder root) {
                         old->read([&](typename From::Reader reader) { convert(reader, root); });
                       },
                       words.words.count() + 64)
                .any();
          }};
}

/// `kept` as version `version` of type `type`. Errors: incompatible (it is of a later version, of
/// another type, or there is no upcaster for it), corruption (its words are malformed), those of
/// the upcasters.
Result<AnyMessage> as_version(VersionedState kept, std::uint64_t type, std::uint32_t version,
                              std::span<const Upcaster> upcasters);

}  // namespace slime::runtime
