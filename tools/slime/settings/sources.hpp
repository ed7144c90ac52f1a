#pragma once

#include <capnp/dynamic.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "runtime/base/error.hpp"
#include "tools/slime/settings/origin.hpp"
#include "tools/slime/settings/toml_text.hpp"

namespace slime::tools {

/// Any struct whose schema is a table of settings.
using Settings = capnp::DynamicStruct::Builder;

// Each sets what one source says and notes where it came from. After an error the struct is half
// written. Errors: invalid_argument (with the place and what was expected).

/// Blocks on the disk.
Status apply_file(Settings settings, const std::filesystem::path& file, const FileKind& kind,
                  Origins& origins);
/// A flag's "sync.mode=bsp": a dotted name and a TOML value; texts need no quotes.
Status apply_set(Settings settings, const std::string& set, Origins& origins);
/// The dotted `name` to the value written in `text`, which `origin` gives.
Status assign_text(Settings settings, std::string_view name, const std::string& text, Origin origin,
                   Origins& origins);

}  // namespace slime::tools
