#pragma once

#include <cstdint>
#include <filesystem>

namespace slime::storage {

/// The latest term of anything in the stores of all nodes under `directory`: parts that were never
/// committed and damaged checkpoints count as well, for the stores refuse what is of an earlier
/// term. 0 when there is nothing. A store that cannot be opened is passed over. Changes nothing.
/// Waits for the disk.
std::uint64_t latest_term(const std::filesystem::path& directory);

}  // namespace slime::storage
