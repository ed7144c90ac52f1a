#include "tools/slime/record/record_line.hpp"

#include <capnp/compat/json.h>
#include <capnp/message.h>
#include <fmt/format.h>
#include <kj/exception.h>

#include "tools/slime/utf8.hpp"

namespace slime::tools {

std::string record_line(const std::function<void(schema::RecordLine::Builder)>& fill) {
  capnp::MallocMessageBuilder message;
  fill(message.initRoot<schema::RecordLine>());
  // The codec takes the bytes of a text as they are.
  std::string text =
      utf8_text(capnp::JsonCodec().encode(message.getRoot<schema::RecordLine>()).cStr());
  text += '\n';
  return text;
}

Status read_record_line(std::string_view line,
                        const std::function<Status(schema::RecordLine::Reader)>& use) {
  const std::size_t sound = utf8_prefix(line);
  if (sound < line.size())
    return Error{Errc::corruption,
                 fmt::format("it is no line of a record: its byte {}, {:02x}, is no UTF-8",
                             sound + 1, static_cast<unsigned char>(line[sound]))};
  try {
    capnp::MallocMessageBuilder message;
    auto root = message.initRoot<schema::RecordLine>();
    capnp::JsonCodec().decode(kj::arrayPtr(line.data(), line.size()), root);
    return use(root.asReader());
  } catch (const kj::Exception& failure) {
    std::string why = failure.getDescription().cStr();
    // More may follow in its line.
    if (why.ends_with('.')) why.pop_back();
    return Error{Errc::corruption, "it is no line of a record: " + why};
  }
}

}  // namespace slime::tools
