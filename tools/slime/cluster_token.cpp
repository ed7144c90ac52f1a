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

Error FoundToken::explain(const Error& why) const {
  if (why.code != Errc::refused) return why;
  if (!missing)
    return {why.code, fmt::format("{}; what was shown is the token of {}: check that the head was "
                                  "started with that one",
                                  why.context, source)};
  return {why.code, fmt::format("{}; no token was shown, for {}; --token-file FILE gives one",
                                why.context, missing->context)};
}

Result<FoundToken> find_token(const TokenSource& source) {
  const auto session_token = [&source]() -> Result<std::string> {
    const auto session = Session::open(source.session);
    if (!session) return session.error();
    return session->read_token();
  };
  const bool named = source.descriptor >= 0 || !source.file.empty();
  const auto token = source.descriptor >= 0 ? read_token(source.descriptor)
                     : !source.file.empty() ? read_file(source.file)
                                            : session_token();
  const std::string from = source.descriptor >= 0 ? fmt::format("descriptor {}", source.descriptor)
                           : !source.file.empty()
                               ? fmt::format("file {}", source.file.string())
                               : fmt::format("session {}", source.session.string());
  if (token) return FoundToken{*token, {}, from};
  if (named || token.error().code != Errc::not_found) return token.error();
  return FoundToken{{}, token.error(), from};
}

}  // namespace slime::tools
