#pragma once

#include <string>

#include "tools/slime/settings/job_settings.hpp"

namespace slime::tools {

/// Every setting with its meaning, as a TOML file that reads back to the same settings.
/// @param with_origin  Add where each value came from.
std::string show_toml(const JobSettings& settings, bool with_origin);

/// The same as one JSON object in one line: {"schema":"slime.v1","settings":[{"name":…,"value":…,
/// "origin":{"source":"file","name":"job.toml","line":3},"doc":…,"range":…,"empty_means":…}]}.
std::string show_json(const JobSettings& settings);

}  // namespace slime::tools
