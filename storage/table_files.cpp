#include "storage/table_files.hpp"

#include <rocksdb/file_checksum.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table_properties.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <memory>
#include <system_error>
#include <utility>

namespace slime::storage {

namespace {

namespace fs = std::filesystem;

fs::path mark_of(const fs::path& folder, const std::string& name) {
  return staging_folder(folder) / (name + ".leaving");
}

std::shared_ptr<const rocksdb::TableProperties> properties_of(const fs::path& path) {
  rocksdb::SstFileReader reader{rocksdb::Options()};
  return reader.Open(path).ok() ? reader.GetTableProperties() : nullptr;
}

bool is_of(const fs::path& path, const std::set<std::string_view>& families) {
  const auto properties = properties_of(path);
  // Erasures alone are written by RocksDB itself; where they are lost, what was erased is back.
  return properties && properties->num_entries > properties->num_range_deletions &&
         families.contains(properties->column_family_name);
}

bool same_bytes(const fs::path& one, const fs::path& other) {
  std::ifstream a(one, std::ios::binary), b(other, std::ios::binary);
  using Bytes = std::istreambuf_iterator<char>;
  return std::equal(Bytes(a), Bytes(), Bytes(b), Bytes());
}

/// The staged file stays until the database lists its link in the folder; where the file system
/// has no links, that is a copy.
bool is_entering(const fs::path& folder, const std::string& name) {
  const fs::path path = folder / name;
  std::error_code failure, ignored;
  fs::directory_iterator entry(staging_folder(folder), failure);
  for (; !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
    const fs::path staged = entry->path();
    if (staged.extension() != ".sst") continue;
    if (fs::equivalent(staged, path, ignored)) return true;
    const auto size = fs::file_size(staged, ignored);
    if (!ignored && size == fs::file_size(path, ignored) && !ignored && same_bytes(staged, path))
      return true;
  }
  return false;
}

/// A mark goes after its file, so one that is gone by now is looked for in this order.
bool is_leaving(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  return fs::exists(mark_of(folder, name), ignored) || !fs::exists(folder / name, ignored);
}

Status check_whole_file(const fs::path& path, const std::string& expected) {
  std::ifstream file(path, std::ios::binary);
  const auto sum = rocksdb::GetFileChecksumGenCrc32cFactory()->CreateFileChecksumGenerator({});
  std::vector<char> piece(1 << 20);
  while (file) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    sum->Update(piece.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (!file.eof()) return Error{Errc::io_error, "it cannot be read"};
  sum->Finalize();
  if (sum->GetChecksum() == expected) return ok();
  return Error{Errc::corruption, "the checksum of the whole file is wrong"};
}

Status check_blocks(const fs::path& path) {
  rocksdb::SstFileReader reader{rocksdb::Options()};
  auto status = reader.Open(path.string());
  if (status.ok()) status = reader.VerifyChecksum();
  if (status.ok()) return ok();
  return Error{status.IsIOError() ? Errc::io_error : Errc::corruption, status.ToString()};
}

}  // namespace

std::set<std::string> table_files(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code failure;
  fs::directory_iterator entry(folder, failure);
  for (; !failure && entry != fs::directory_iterator(); entry.increment(failure))
    if (entry->path().extension() == ".sst") names.insert(entry->path().filename());
  return names;
}

fs::path staging_folder(const fs::path& folder) {
  return folder / "staging";
}

std::string column_family_of(const fs::path& path) {
  const auto properties = properties_of(path);
  return properties ? properties->column_family_name : "";
}

Status check_table_file(const fs::path& path, const std::string& checksum) {
  const std::string attempted = "reading file " + path.string() + ": ";
  std::error_code failure;
  if (!fs::exists(path, failure)) return Error{Errc::not_found, attempted + "it is missing"};
  Status status = checksum.empty() ? check_blocks(path) : check_whole_file(path, checksum);
  if (status) return ok();
  // It went while it was looked at.
  if (!fs::exists(path, failure)) return Error{Errc::not_found, attempted + "it is missing"};
  return Error{status.error().code, attempted + status.error().context};
}

std::set<std::string> forgotten_files(const fs::path& folder, const std::set<std::string>& present,
                                      const std::set<std::string>& listed,
                                      const std::set<std::string_view>& families) {
  std::set<std::string> forgotten;
  for (const auto& name : present)
    if (!listed.contains(name) && is_of(folder / name, families) && !is_entering(folder, name) &&
        !is_leaving(folder, name))
      forgotten.insert(name);
  return forgotten;
}

LeavingFiles::LeavingFiles(fs::path folder, std::vector<std::string> names)
    : folder_(std::move(folder)), names_(std::move(names)) {
  for (const auto& name : names_) std::ofstream(mark_of(folder_, name));
}

LeavingFiles::~LeavingFiles() {
  std::error_code ignored;
  for (const auto& name : names_)
    if (!fs::exists(folder_ / name, ignored)) fs::remove(mark_of(folder_, name), ignored);
}

}  // namespace slime::storage
