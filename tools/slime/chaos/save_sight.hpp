#pragma once

#include <filesystem>

namespace slime::tools {

/// Whether a table file is on its way into some store under `checkpoints` at this very moment: a
/// part or a manifest is being written. Looks into folders only; blocks on the disk.
bool is_saving(const std::filesystem::path& checkpoints);

}  // namespace slime::tools
