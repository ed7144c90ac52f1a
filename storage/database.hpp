#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/error.hpp"

namespace slime::storage {

enum class OpenMode : std::uint8_t {
  read_only,   ///< Beside a writer or alone; changes nothing. Sees what was there when it opened.
  read_write,  ///< The one writer of a store that must exist.
  create,      ///< The one writer; the store is made if there is none.
};

/// A database keeps its kinds of data apart.
enum class Table : std::uint8_t {
  catalog,  ///< Manifests and part records, each in a file of its own: damage stays local.
  blocks,   ///< Parameters.
  states,   ///< States and replies of actors; small, and changed in place.
};

/// Changes that take effect together or not at all.
struct Batch {
  struct Operation {
    Table table;
    std::string key;
    std::optional<std::string> value;  ///< Nothing: the key is removed.
  };
  std::vector<Operation> operations;

  void put(Table table, std::string key, std::string value) {
    operations.push_back({table, std::move(key), std::move(value)});
  }
  void remove(Table table, std::string key) {
    operations.push_back({table, std::move(key), std::nullopt});
  }
};

/// A file of sorted entries that is being written beside the database, to enter it as a whole.
/// Dropping it removes the file.
class TableWriter {
 public:
  TableWriter(TableWriter&&) noexcept;
  TableWriter& operator=(TableWriter&&) noexcept;
  ~TableWriter();

  /// Appends an entry. Precondition: keys ascend. Errors: io_error.
  Status add(std::string_view key, std::span<const std::byte> value);

 private:
  friend class Database;
  struct Impl;
  explicit TableWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// One node's RocksDB database, with no RocksDB type in sight: translates its statuses, names
/// files and remedies, and takes its decisions (durability, file layout) in one place.
///
/// Every error's context names the folder; corruption also says what is lost and what to do. What
/// changes the database fails with stale once another process has taken the folder over (see
/// StoreLock::check_held).
/// Confined to one thread at a time. Every call may wait for the disk.
class Database {
 public:
  /// Errors: not_found (no store, unless `create`), already_exists (another process writes to
  /// it), corruption (files missing or damaged; a store is never silently empty), incompatible
  /// (written by a newer version), io_error.
  ///
  /// Opened for reading, a store with lost or damaged table files still opens, and each read of
  /// what they held fails; for writing it does not. One whose bookkeeping or log is damaged is read
  /// from the table files that are whole, unless there is none, without what only the log held.
  static Result<std::unique_ptr<Database>> open(const std::filesystem::path& folder, OpenMode mode);
  /// Makes a damaged store writable again from the table files that are whole, giving up the
  /// others. Reads everything. Errors: not_found, already_exists, corruption, io_error.
  static Status repair(const std::filesystem::path& folder);

  ~Database();

  const std::filesystem::path& folder() const;
  bool writable() const;
  /// Errors: invalid_argument (it was opened for reading), stale, io_error.
  Status check_writable() const;

  /// Errors: not_found, corruption, io_error.
  Result<std::string> read(Table table, std::string_view key) const;
  /// The same without a copy: `use` gets the value and keeps nothing of it. Errors: also those of
  /// `use`.
  Status read(Table table, std::string_view key,
              const std::function<Status(std::string_view value)>& use) const;
  /// Calls `use` with each entry whose key starts with `prefix`, ascending, until it fails.
  /// Errors: corruption, io_error, those of `use`.
  Status visit(
      Table table, std::string_view prefix,
      const std::function<Status(std::string_view key, std::string_view value)>& use) const;
  /// Keys of the catalog that start with `prefix`, ascending. Entries that cannot be read are
  /// named too: the list comes from the database's own bookkeeping, not from the files.
  std::vector<std::string> catalog(std::string_view prefix) const;

  struct TableFile {
    std::string name;
    std::string first;  ///< Key.
    std::string last;
  };
  /// Every table file of `table`.
  std::vector<TableFile> files(Table table) const;
  /// Names of the table files that may hold `key`, comma-separated.
  std::string files_of(Table table, std::string_view key) const;

  struct DamagedFile {
    std::string name;
    Error why;
  };
  /// Reads every byte of every table file, whatever table it is of; beside a writer, of those that
  /// are still there. Where the store was closed, also of all other files; elsewhere damage to
  /// bytes of these that nothing ever reads is not seen.
  std::vector<DamagedFile> damaged_files() const;
  /// Why the database is read without its bookkeeping or log, if so.
  const std::optional<Error>& bookkeeping_damage() const;

  /// Durable when it returns. Errors: io_error.
  Status write(const Batch& batch);

  /// Errors: io_error.
  Result<TableWriter> new_table(Table table);
  /// Makes the files part of the database, together and durably. At most one for each table.
  /// Errors: io_error.
  Status ingest(std::vector<TableWriter> tables);

  /// Removes the keys in [first, last], cheaply where they fill whole files. Errors: io_error.
  Status erase(Table table, const std::string& first, const std::string& last);
  /// Bytes on disk of keys in [first, last], removed ones included until they are compacted.
  std::uint64_t stored_bytes(Table table, const std::string& first, const std::string& last) const;
  /// Gives back the space of removed keys in [first, last]. Errors: io_error.
  Status compact(Table table, const std::string& first, const std::string& last);

 private:
  struct Impl;
  explicit Database(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace slime::storage
