#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/error.hpp"

namespace slime::storage {

/// Names of the table files in `folder`, which may be missing.
std::set<std::string> table_files(const std::filesystem::path& folder);

/// Where the writer of a store in `folder` keeps what is not part of it: files before they enter,
/// and the names of those that are about to go.
std::filesystem::path staging_folder(const std::filesystem::path& folder);

/// The column family that the file at `path` was written for; empty if it is not a whole file.
std::string column_family_of(const std::filesystem::path& path);

/// Reads every byte of the table file at `path`. Errors: not_found (there is no file), corruption,
/// io_error.
/// @param checksum  Of the whole file, as RocksDB's bookkeeping has it. Empty: not known; those in
///                  the file are compared, which leaves out some padding.
Status check_table_file(const std::filesystem::path& path, const std::string& checksum);

/// Those of `present` that the database should list and does not: whole files of one of `families`,
/// of more than erasures, which are not in `listed`. A file that entered or left halfway, because
/// the writer is busy or was killed, is none. `present` is from before the list was read.
std::set<std::string> forgotten_files(const std::filesystem::path& folder,
                                      const std::set<std::string>& present,
                                      const std::set<std::string>& listed,
                                      const std::set<std::string_view>& families);

/// Says that files are about to leave a store, so that whoever finds one in the folder after a
/// crash takes it for a leftover. Holds until they are gone.
class LeavingFiles {
 public:
  LeavingFiles(std::filesystem::path folder, std::vector<std::string> names);
  LeavingFiles(const LeavingFiles&) = delete;
  LeavingFiles& operator=(const LeavingFiles&) = delete;
  ~LeavingFiles();

 private:
  std::filesystem::path folder_;
  std::vector<std::string> names_;
};

}  // namespace slime::storage
