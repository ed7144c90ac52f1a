#include "storage/open_database.hpp"

#include <rocksdb/db.h>
#include <rocksdb/file_checksum.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "storage/store_format.hpp"
#include "storage/table_files.hpp"

namespace slime::storage {

namespace {

namespace fs = std::filesystem;

std::string joined(const std::set<std::string>& names) {
  std::string list;
  for (const auto& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

// RocksDB ends the process, in an assertion, where it finds no room for a new list of files.
constexpr std::uintmax_t room_min = 512 << 10;

/// Keeps a reader from leaving log files in a folder that it must not change.
class NoLog final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

rocksdb::DBOptions database_options(bool writable, bool create) {
  rocksdb::DBOptions options;
  options.create_if_missing = create;
  options.create_missing_column_families = writable;  // A repair leaves out what has no files.
  options.max_background_jobs = 2;
  // What is read is read in order, so the disk may be ahead. The default forbids it.
  options.advise_random_on_open = false;
  options.max_file_opening_threads = 1;  // For a handful of files; the default starts 16.
  options.keep_log_file_num = 2;
  options.info_log_level = rocksdb::WARN_LEVEL;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  options.max_total_wal_size = std::uint64_t{64} << 20;
  // A write cut off by a crash is dropped, it was never acknowledged; any other damage in the log
  // is an error. The default would silently drop all that follows the damage.
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  // Of whole table files, kept in the bookkeeping: blocks have their own, but footers do not.
  options.file_checksum_gen_factory = rocksdb::GetFileChecksumGenCrc32cFactory();
  if (!writable) options.info_log = std::make_shared<NoLog>();
  return options;
}

}  // namespace

Error translate(const rocksdb::Status& status, const std::string& attempted) {
  const std::string context = attempted + ": " + status.ToString();
  if (status.IsNotFound()) return {Errc::not_found, attempted + ": there is none"};
  if (status.IsNoSpace())
    return {Errc::io_error, context + "; free space on its disk and try again"};
  // A file or a table that has to be there and is not is damage, not a failed request.
  if (status.IsCorruption() || status.IsPathNotFound() ||
      context.find("Column family not found") != std::string::npos)
    return {Errc::corruption, context};
  return {Errc::io_error, context};
}

rocksdb::DBOptions writing_options(bool create) {
  return database_options(true, create);
}

rocksdb::ColumnFamilyOptions table_options(Table table) {
  rocksdb::BlockBasedTableOptions layout;
  layout.checksum = rocksdb::kXXH3;
  layout.format_version = 5;
  // What is read here is read once, at a restore, and the page cache holds it already.
  layout.no_block_cache = true;
  if (table == Table::blocks) layout.block_size = 64 << 10;
  rocksdb::ColumnFamilyOptions options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(layout));
  // Floats do not compress (ratio 1.00), and trying costs up to two thirds of the throughput.
  options.compression = rocksdb::kNoCompression;
  // Merging the catalog's files would let one damaged block take several checkpoints with it.
  options.disable_auto_compactions = table == Table::catalog;
  return options;
}

std::vector<rocksdb::ColumnFamilyDescriptor> column_families() {
  return {{"catalog", table_options(Table::catalog)},
          {"blocks", table_options(Table::blocks)},
          {rocksdb::kDefaultColumnFamilyName, table_options(Table::states)}};
}

OpenDatabase::OpenDatabase(fs::path folder) : folder_(std::move(folder)) {}
OpenDatabase::~OpenDatabase() {
  close();
}

void OpenDatabase::close() {
  if (!db_) return;
  for (auto* handle : handles_) db_->DestroyColumnFamilyHandle(handle);
  db_->Close().PermitUncheckedError();
  db_.reset();
}

void OpenDatabase::abandon() {
  (void)db_.release();
}

void OpenDatabase::adopt(rocksdb::DB* opened,
                         const std::vector<rocksdb::ColumnFamilyHandle*>& in_order) {
  close();
  db_.reset(opened);
  std::copy(in_order.begin(), in_order.end(), handles_.begin());
}

std::vector<rocksdb::LiveFileMetaData> OpenDatabase::live_files() const {
  std::vector<rocksdb::LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  return files;
}

std::set<std::string> OpenDatabase::listed_files() const {
  std::set<std::string> names;
  for (auto& file : live_files()) names.insert(std::move(file.relative_filename));
  return names;
}

std::string OpenDatabase::damaged_files() const {
  auto names = listed_files();
  std::erase_if(names, [this](auto& name) { return !column_family_of(folder_ / name).empty(); });
  return joined(names);
}

rocksdb::Status OpenDatabase::for_reading(bool tolerant) {
  auto options = database_options(false, false);
  options.paranoid_checks = !tolerant;
  rocksdb::DB* opened = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> in_order;
  const auto status =
      rocksdb::DB::OpenForReadOnly(options, (salvaged_ ? salvaged_->folder() : folder_).string(),
                                   column_families(), &in_order, &opened);
  if (status.ok()) adopt(opened, in_order);
  return status;
}

rocksdb::Status OpenDatabase::beside_writer() {
  constexpr int attempts = 40, alike_max = 10;
  auto status = for_reading(false);
  for (int i = 0, alike = 1; i < attempts && alike < alike_max && !status.ok(); ++i) {
    const std::string complaint = status.ToString();
    status = for_reading(false);
    alike = status.ToString() == complaint ? alike + 1 : 1;
  }
  return status;
}

Status OpenDatabase::sound() {
  if (Status marked = check_format(folder_); !marked) return marked;
  constexpr int looks = 40;
  std::set<std::string> missed;
  for (int i = 0; i < looks; ++i) {
    const auto present = table_files(folder_);
    const auto status = beside_writer();
    const bool whole = status.ok();
    if (!whole && (!for_reading(true).ok() || damaged_files().empty())) return failure(status);
    // Merging blocks, too, leaves files behind when it is killed, but files are not missing then.
    const auto families = whole ? std::set<std::string_view>{"catalog"}
                                : std::set<std::string_view>{"catalog", "blocks"};
    const auto forgotten = forgotten_files(folder_, present, listed_files(), families);
    if (forgotten.empty()) return ok();
    // A busy writer may list a file a moment later, but not a moment after that.
    if (std::ranges::any_of(forgotten, [&](auto& name) { return missed.contains(name); }))
      return Error{Errc::corruption, "opening store " + folder_.string() +
                                         ": its list of files (MANIFEST) ends too early and "
                                         "leaves out " +
                                         joined(forgotten) + damaged_remedy};
    missed = forgotten;
  }
  return ok();
}

Status OpenDatabase::lists_every_file() {
  if (table_files(folder_).empty()) return ok();
  Status complete = sound();
  close();
  return complete;
}

Status OpenDatabase::what_is_whole() {
  const Status listed = sound();
  if (listed || listed.error().code != Errc::corruption) return listed;
  Error damage = listed.error();
  auto copy = SalvagedCopy::make(folder_);
  if (!copy) {
    if (copy.error().code != Errc::not_found) damage.context += "; " + copy.error().context;
    return damage;
  }
  salvaged_ = std::move(*copy);
  if (Status repaired = Database::repair(salvaged_->folder()); !repaired) {
    damage.context += "; " + repaired.error().context + SalvagedCopy::remedy(folder_);
    return damage;
  }
  if (!for_reading(true).ok() || live_files().empty()) return damage;
  bookkeeping_damage_ = std::move(damage);
  return ok();
}

Status OpenDatabase::has_room() const {
  std::error_code failure;
  const auto there = fs::space(folder_, failure);
  if (failure || there.available >= room_min) return ok();
  return Error{Errc::io_error, "opening store " + folder_.string() +
                                   " for writing: No space left on device, or too little: " +
                                   std::to_string(there.available >> 10) +
                                   " KiB, and RocksDB's "
                                   "bookkeeping takes up to " +
                                   std::to_string(room_min >> 10) +
                                   "; free space on its disk and try again"};
}

Status OpenDatabase::for_writing(bool create) {
  if (Status room = has_room(); !room) return room;
  rocksdb::DB* opened = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> in_order;
  const auto status = rocksdb::DB::Open(database_options(true, create), folder_.string(),
                                        column_families(), &in_order, &opened);
  if (!status.ok()) return failure(status);
  adopt(opened, in_order);
  // Not before: opening deletes the leftovers that it tells from lost files.
  const fs::path staging = staging_folder(folder_);
  std::error_code error;
  fs::remove_all(staging, error);
  if (!error) fs::create_directories(staging, error);
  if (error)
    return Error{Errc::io_error, "clearing " + staging.string() + ": " + error.message() +
                                     "; the folder must be writable"};
  return mark_format(folder_);
}

Error OpenDatabase::failure(const rocksdb::Status& status) {
  Error error = translate(status, "opening store " + folder_.string());
  if (error.code != Errc::corruption) return error;
  const std::string lost = db_ || for_reading(true).ok() ? damaged_files() : "";
  if (!lost.empty()) error.context += "; missing or damaged: " + lost;
  error.context += damaged_remedy;
  return error;
}

}  // namespace slime::storage
