#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "runtime/base/error.hpp"
#include "runtime/wire/message.hpp"
#include "schemas/scenario.capnp.h"
#include "tools/slime/settings/job_rules.hpp"

namespace slime::tools {

/// Reads a scenario from its TOML file and then from flags "NAME=VALUE", type-checks it and has
/// `check_scenario` judge it. Variables of the environment do not count: a scenario is an
/// experiment that others repeat. Blocks on the disk. Errors: invalid_argument (with the place).
Result<runtime::Message<schema::Scenario>> load_scenario(const std::filesystem::path& file,
                                                         std::span<const std::string> sets,
                                                         const KnownNames& known);

}  // namespace slime::tools
