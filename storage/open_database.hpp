#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/base/error.hpp"
#include "storage/database.hpp"
#include "storage/salvaged_copy.hpp"

namespace rocksdb {
class ColumnFamilyHandle;
class DB;
class Status;
struct ColumnFamilyDescriptor;
struct ColumnFamilyOptions;
struct DBOptions;
struct LiveFileMetaData;
}  // namespace rocksdb

namespace slime::storage {

/// Only `database.cpp` includes this: RocksDB as this store uses it, and how it is opened.
Error translate(const rocksdb::Status& status, const std::string& attempted);
rocksdb::DBOptions writing_options(bool create);
rocksdb::ColumnFamilyOptions table_options(Table table);
std::vector<rocksdb::ColumnFamilyDescriptor> column_families();

/// RocksDB's database in a folder, once one of the first three calls succeeds. Does not lock it.
/// Errors of those: as of Database::open.
class OpenDatabase {
 public:
  explicit OpenDatabase(std::filesystem::path folder);
  ~OpenDatabase();

  /// For reading: from what the table files themselves hold, if the rest is damaged.
  Status what_is_whole();
  Status for_writing(bool create);
  /// Whether its disk has room for what opening or repairing writes. Errors: io_error.
  Status has_room() const;
  /// Opening for writing deletes every table file that the database does not list. Whether that
  /// loses nothing. Errors: corruption.
  Status lists_every_file();
  void close();
  /// Never closes it: that deletes every table file that this process does not know, and somebody
  /// else writes to the folder now. What it takes of memory is lost until the process ends.
  void abandon();

  rocksdb::DB& db() const { return *db_; }
  rocksdb::ColumnFamilyHandle* handle(Table table) const { return handles_[std::size_t(table)]; }
  std::vector<rocksdb::LiveFileMetaData> live_files() const;
  /// Their names.
  std::set<std::string> listed_files() const;
  /// What made `what_is_whole` do without RocksDB's bookkeeping, if anything.
  const std::optional<Error>& bookkeeping_damage() const { return bookkeeping_damage_; }

 private:
  void adopt(rocksdb::DB* opened, const std::vector<rocksdb::ColumnFamilyHandle*>& in_order);
  /// Names of table files that are gone or do not say what is in them, comma-separated.
  std::string damaged_files() const;
  rocksdb::Status for_reading(bool tolerant);
  /// A writer may retire files after we read their names and before we open them, and a busy one
  /// may not have said so yet when we look again. A file that is really lost is missed every time.
  rocksdb::Status beside_writer();
  /// Damaged files cost only what they hold, but this fails where RocksDB does not know its files,
  /// or its log is damaged. RocksDB takes damage in its list of files for the end of it.
  Status sound();
  /// Why opening failed; looks for the files to blame, since RocksDB may name another one.
  Error failure(const rocksdb::Status& status);

  std::filesystem::path folder_;
  std::optional<SalvagedCopy> salvaged_;  // What is read instead of `folder_`.
  std::optional<Error> bookkeeping_damage_;
  std::unique_ptr<rocksdb::DB> db_;
  std::array<rocksdb::ColumnFamilyHandle*, 3> handles_{};
};

}  // namespace slime::storage
