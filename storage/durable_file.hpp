#pragma once

#include <filesystem>
#include <string_view>

namespace slime::storage {

/// Small files, and folders, that are there as a whole or not at all, whatever ends the process or
/// the machine.
/// False: `errno` says why. Wait for the disk; any thread.

/// Writes `bytes` to the file at `path`, in place of what was there.
bool write_durably(const std::filesystem::path& path, std::string_view bytes);
/// Makes the folder at `path`, which may exist; the one above it must.
bool make_folder_durably(const std::filesystem::path& path);
/// Removes the file at `path`, which need not exist.
bool remove_durably(const std::filesystem::path& path);

}  // namespace slime::storage
