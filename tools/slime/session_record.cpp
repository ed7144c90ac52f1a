#include "tools/slime/session_record.hpp"

#include <capnp/compat/json.h>
#include <capnp/message.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <kj/exception.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "schemas/session.capnp.h"
#include "tools/slime/descriptor.hpp"

namespace slime::tools {

namespace {

std::string to_text(capnp::Text::Reader text) {
  return {text.begin(), text.size()};
}

Member from_record(schema::ProcessRecord::Reader record) {
  Member member;
  member.process = {record.getPid(), record.getStartTicks(), to_text(record.getBootId())};
  member.role =
      record.getRole() == schema::ProcessRole::HEAD ? ProcessRole::head : ProcessRole::node;
  member.name = to_text(record.getName());
  for (const auto endpoint : record.getEndpoints()) member.endpoints.push_back(to_text(endpoint));
  member.started_at_us = record.getStartedAtUs();
  return member;
}

bool write_all(const Descriptor& file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file.number(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::string write_record(const Member& member) {
  capnp::MallocMessageBuilder message;
  auto record = message.initRoot<schema::ProcessRecord>();
  record.setPid(member.process.pid);
  record.setStartTicks(member.process.start_ticks);
  record.setBootId(member.process.boot_id);
  record.setRole(member.role == ProcessRole::head ? schema::ProcessRole::HEAD
                                                  : schema::ProcessRole::NODE);
  record.setName(member.name);
  auto endpoints = record.initEndpoints(static_cast<unsigned>(member.endpoints.size()));
  for (unsigned i = 0; i < endpoints.size(); ++i) endpoints.set(i, member.endpoints[i]);
  record.setStartedAtUs(member.started_at_us);
  return capnp::JsonCodec().encode(record).cStr();
}

Result<Member> read_record(std::string_view json) {
  try {
    capnp::MallocMessageBuilder message;
    auto record = message.initRoot<schema::ProcessRecord>();
    capnp::JsonCodec().decode(kj::arrayPtr(json.data(), json.size()), record);
    Member member = from_record(record.asReader());
    if (member.process.pid > 0) return member;
    return Error{Errc::corruption, "reading the record of a process: it names none"};
  } catch (const kj::Exception& failure) {
    return Error{Errc::corruption, fmt::format("reading the record of a process: {}",
                                               failure.getDescription().cStr())};
  }
}

Status replace_file(const std::filesystem::path& file, std::string_view text) {
  const std::string draft = fmt::format("{}.{}.tmp", file.string(), ::getpid());
  ::unlink(draft.c_str());
  const Descriptor out(::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (out && write_all(out, text) && ::rename(draft.c_str(), file.c_str()) == 0) return ok();
  const Error error{Errc::io_error,
                    fmt::format("writing {}: {}", file.string(), std::strerror(errno))};
  ::unlink(draft.c_str());
  return error;
}

}  // namespace slime::tools
