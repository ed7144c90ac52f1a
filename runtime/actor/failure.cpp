#include "runtime/actor/failure.hpp"

#include "schemas/ids.capnp.h"

namespace slime::runtime {

AnyMessage to_failure(const Error& error) {
  return Message<schema::Failure>::make([&error](schema::Failure::Builder root) {
           root.setCode(static_cast<std::uint8_t>(error.code));
           root.setContext(error.context);
         })
      .any();
}

std::optional<Error> failure_of(const AnyMessage& message) {
  if (message.type != type_id<schema::Failure>()) return std::nullopt;
  return Message<schema::Failure>::adopt(message.words).read([](schema::Failure::Reader root) {
    return Error{static_cast<Errc>(root.getCode()), root.getContext().cStr()};
  });
}

}  // namespace slime::runtime
