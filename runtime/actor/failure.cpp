#include "runtime/actor/failure.hpp"

#include <kj/exception.h>

#include <string>

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
  try {
    return Message<schema::Failure>::adopt(message.words).read([](schema::Failure::Reader root) {
      return Error{static_cast<Errc>(root.getCode()), root.getContext().cStr()};
    });
  } catch (const kj::Exception& malformed) {
    return Error{Errc::corruption, std::string("reading a failure: it is malformed: ") +
                                       malformed.getDescription().cStr()};
  }
}

}  // namespace slime::runtime
