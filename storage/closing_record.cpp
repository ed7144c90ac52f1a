#include "storage/closing_record.hpp"

#include <kj/exception.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/wire/message.hpp"
#include "schemas/store.capnp.h"
#include "storage/checksum.hpp"
#include "storage/durable_file.hpp"

namespace slime::storage {

namespace {

namespace fs = std::filesystem;
using Record = runtime::Message<schema::ClosedStore>;
using Damaged = Database::DamagedFile;

constexpr std::string_view record_name = "CLOSED";

struct Content {
  std::uint64_t bytes = 0;
  std::uint32_t checksum = 0;

  bool operator==(const Content&) const = default;
};

/// Nothing: it is not there, or cannot be read.
std::optional<Content> content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 1 << 16> piece;
  Content content;
  while (file) {
    file.read(piece.data(), piece.size());
    const auto count = static_cast<std::size_t>(file.gcount());
    content.checksum = checksum(std::as_bytes(std::span(piece)).first(count), content.checksum);
    content.bytes += count;
  }
  return file.eof() ? std::optional(content) : std::nullopt;
}

/// The rest is table files, and the record.
bool is_recorded(const fs::directory_entry& entry) {
  std::error_code ignored;
  return entry.is_regular_file(ignored) && entry.path().extension() != ".sst" &&
         !entry.path().filename().string().starts_with(record_name);
}

std::optional<std::string> read_record(const fs::path& folder) {
  std::ifstream file(folder / record_name, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// RocksDB's notes for people; whoever tidies up may remove them.
bool may_be_missing(std::string_view name) {
  return name.starts_with("LOG");
}

std::vector<Damaged> compare(const fs::path& folder, schema::ClosedStore::Reader record) {
  std::vector<Damaged> damaged;
  for (const auto file : record.getFiles()) {
    const std::string name = file.getName();
    const std::string attempted = "reading file " + (folder / name).string() + ": ";
    const auto content = content_of(folder / name);
    if (!content && (may_be_missing(name) && !fs::exists(folder / name))) continue;
    if (!content)
      damaged.push_back({name, {Errc::corruption, attempted + "it is missing or unreadable"}});
    else if (*content != Content{file.getBytes(), file.getChecksum()})
      damaged.push_back(
          {name, {Errc::corruption, attempted + "it has changed since its store was closed"}});
  }
  return damaged;
}

std::vector<Damaged> compare(const fs::path& folder, std::string_view sealed) {
  const auto unreadable = [&folder](const std::string& why) {
    const std::string name(record_name);
    return std::vector<Damaged>{
        {name, {Errc::corruption, "reading file " + (folder / name).string() + ": " + why}}};
  };
  const auto words = unseal(std::as_bytes(std::span(sealed)));
  if (!words) return unreadable(words.error().context);
  try {
    return Record::adopt(*words).read(
        [&folder](schema::ClosedStore::Reader record) { return compare(folder, record); });
  } catch (const kj::Exception& exception) {
    return unreadable(exception.getDescription().cStr());
  }
}

}  // namespace

Status record_closing(const fs::path& folder) {
  const auto failed = [&folder](const std::string& why) {
    return Error{Errc::io_error, "writing " + (folder / record_name).string() + ": " + why};
  };
  std::vector<std::pair<std::string, Content>> files;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure); !failure && entry != fs::directory_iterator();
       entry.increment(failure)) {
    if (!is_recorded(*entry)) continue;
    const auto content = content_of(entry->path());
    if (!content) return failed(entry->path().filename().string() + " cannot be read");
    files.emplace_back(entry->path().filename(), *content);
  }
  if (failure) return failed(failure.message());
  std::ranges::sort(files, {}, [](const auto& file) { return file.first; });
  const auto record = Record::make([&files](schema::ClosedStore::Builder root) {
    auto list = root.initFiles(static_cast<unsigned>(files.size()));
    for (unsigned i = 0; i < files.size(); ++i) {
      list[i].setName(files[i].first);
      list[i].setBytes(files[i].second.bytes);
      list[i].setChecksum(files[i].second.checksum);
    }
  });
  if (!write_durably(folder / record_name, seal(record.words())))
    return failed(std::strerror(errno));
  return ok();
}

Status forget_closing(const fs::path& folder) {
  if (remove_durably(folder / record_name)) return ok();
  return Error{Errc::io_error, "removing " + (folder / record_name).string() + ": " +
                                   std::strerror(errno) + "; the folder must be writable"};
}

std::vector<Damaged> changed_since_closing(const fs::path& folder) {
  const auto record = read_record(folder);
  if (!record) return {};
  auto damaged = compare(folder, *record);
  // A writer removes the record before it changes anything.
  if (!damaged.empty() && read_record(folder) != record) return {};
  return damaged;
}

}  // namespace slime::storage
