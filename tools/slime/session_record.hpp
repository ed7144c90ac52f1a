#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "runtime/base/error.hpp"
#include "tools/slime/session.hpp"

namespace slime::tools {

/// `member` as the JSON text of a schema::ProcessRecord.
std::string write_record(const Member& member);
/// Errors: corruption (not such a text).
Result<Member> read_record(std::string_view json);

/// Replaces `file` in one step, so that a reader sees the old text or the new one, readable by its
/// owner only. Errors: io_error.
Status replace_file(const std::filesystem::path& file, std::string_view text);

}  // namespace slime::tools
