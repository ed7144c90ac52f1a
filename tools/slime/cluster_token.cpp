#include "tools/slime/cluster_token.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "tools/slime/child_process.hpp"
#include "tools/slime/session.hpp"

namespace slime::tools {

namespace {

Result<std::string> read_file(const std::filesystem::path& file) {
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor)
    return Error{errno == ENOENT ? Errc::not_found : Errc::io_error,
                 fmt::format("reading the cluster's token from {}: {}", file.string(),
                             std::strerror(errno))};
  auto token = read_token(descriptor.number());
  // Editors end a file with a line end, which is no part of the secret.
  if (token && token->ends_with('\n')) token->pop_back();
  return token;
}

}  // namespace

Result<std::string> find_token(const TokenSource& source) {
  if (source.descriptor >= 0) return read_token(source.descriptor);
  if (!source.file.empty()) return read_file(source.file);
  const auto session = Session::open(source.session);
  if (!session) return session.error();
  return session->read_token();
}

}  // namespace slime::tools
