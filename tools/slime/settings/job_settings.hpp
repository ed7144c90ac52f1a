#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "runtime/base/error.hpp"
#include "runtime/wire/message.hpp"
#include "schemas/job.capnp.h"
#include "tools/slime/console.hpp"
#include "tools/slime/settings/job_rules.hpp"
#include "tools/slime/settings/origin.hpp"

namespace slime::tools {

/// Where the settings of a job are taken from, strongest last: defaults of the schema, a TOML file,
/// variables such as SLIME_SYNC_MODE, and flags `--set NAME=VALUE`.
struct SettingSources {
  std::optional<std::filesystem::path> file;
  const Environment& environment;
  /// "sync.mode=bsp": a dotted name and a TOML value; texts need no quotes. The last one wins.
  std::span<const std::string> sets;
};

struct JobSettings {
  runtime::Message<schema::JobSpec> job;
  Origins origins;
};

/// Reads and type-checks the settings; says nothing about whether they make a job.
/// Blocks on the disk. Errors: invalid_argument (with file, line and column, or the flag).
Result<JobSettings> read_settings(const SettingSources& sources);

/// `read_settings`, then `check_job`: what a command that runs a job calls. Same errors.
Result<JobSettings> load_job(const SettingSources& sources, const KnownNames& known);

}  // namespace slime::tools
