#include "storage/database.hpp"

#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "storage/salvaged_copy.hpp"
#include "storage/store_format.hpp"
#include "storage/store_lock.hpp"

namespace slime::storage {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t tables = 3;

rocksdb::Slice as_slice(std::string_view text) {
  return {text.data(), text.size()};
}

Error translate(const rocksdb::Status& status, const std::string& attempted) {
  const std::string context = attempted + ": " + status.ToString();
  if (status.IsNotFound()) return {Errc::not_found, attempted + ": there is none"};
  if (status.IsNoSpace())
    return {Errc::io_error, context + "; free space on its disk and try again"};
  // A file that the database counts on and that is not there is damage, not a failed request.
  if (status.IsCorruption() || status.IsPathNotFound()) return {Errc::corruption, context};
  return {Errc::io_error, context};
}

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
  options.max_file_opening_threads = 1;  // For a handful of files; the default starts 16.
  options.keep_log_file_num = 2;
  options.info_log_level = rocksdb::WARN_LEVEL;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  options.max_total_wal_size = std::uint64_t{64} << 20;
  // A write cut off by a crash is dropped, it was never acknowledged; any other damage in the log
  // is an error. The default would silently drop all that follows the damage.
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  if (!writable) options.info_log = std::make_shared<NoLog>();
  return options;
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

std::vector<rocksdb::ColumnFamilyDescriptor> descriptors() {
  return {{"catalog", table_options(Table::catalog)},
          {"blocks", table_options(Table::blocks)},
          {rocksdb::kDefaultColumnFamilyName, table_options(Table::states)}};
}

}  // namespace

struct TableWriter::Impl {
  fs::path path;
  Table table;
  rocksdb::SstFileWriter writer;

  ~Impl() {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
};

TableWriter::TableWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TableWriter::TableWriter(TableWriter&&) noexcept = default;
TableWriter& TableWriter::operator=(TableWriter&&) noexcept = default;
TableWriter::~TableWriter() = default;

Status TableWriter::add(std::string_view key, std::span<const std::byte> value) {
  const auto status =
      impl_->writer.Put(as_slice(key), {reinterpret_cast<const char*>(value.data()), value.size()});
  if (!status.ok()) return translate(status, "writing " + impl_->path.string());
  return ok();
}

struct Database::Impl {
  fs::path folder;
  std::optional<StoreLock> lock;         // Given up last.
  std::optional<SalvagedCopy> salvaged;  // What is read instead of `folder`.
  std::unique_ptr<rocksdb::DB> db;
  std::array<rocksdb::ColumnFamilyHandle*, tables> handles{};
  std::uint64_t next_staging = 0;

  ~Impl() { close(); }

  void close() {
    if (!db) return;
    for (auto* handle : handles) db->DestroyColumnFamilyHandle(handle);
    db->Close().PermitUncheckedError();
    db.reset();
  }

  rocksdb::ColumnFamilyHandle* handle(Table table) const { return handles[std::size_t(table)]; }

  std::string attempted(std::string_view what, std::string_view key) const {
    return std::string(what) + " \"" + std::string(key) + "\" in store " + folder.string();
  }

  Status check_writable() const {
    if (lock) return ok();
    return Error{Errc::invalid_argument,
                 "changing store " + folder.string() + ": it was opened for reading"};
  }

  void adopt(rocksdb::DB* opened, const std::vector<rocksdb::ColumnFamilyHandle*>& in_order) {
    close();
    db.reset(opened);
    std::copy(in_order.begin(), in_order.end(), handles.begin());
  }

  std::vector<rocksdb::LiveFileMetaData> live_files() const {
    std::vector<rocksdb::LiveFileMetaData> files;
    db->GetLiveFilesMetaData(&files);
    return files;
  }

  /// Names of table files that are gone or do not say what is in them, comma-separated.
  std::string damaged_files() const {
    std::string names;
    for (const auto& file : live_files()) {
      const std::string path = folder / file.relative_filename;
      if (!rocksdb::SstFileReader(rocksdb::Options()).Open(path).ok())
        names += (names.empty() ? "" : ", ") + file.relative_filename;
    }
    return names;
  }

  rocksdb::Status open_for_reading(bool tolerant) {
    auto options = database_options(false, false);
    options.paranoid_checks = !tolerant;
    rocksdb::DB* opened = nullptr;
    std::vector<rocksdb::ColumnFamilyHandle*> in_order;
    const auto status =
        rocksdb::DB::OpenForReadOnly(options, (salvaged ? salvaged->folder() : folder).string(),
                                     descriptors(), &in_order, &opened);
    if (status.ok()) adopt(opened, in_order);
    return status;
  }

  /// A writer may retire files after we read their names and before we open them, and a busy one
  /// may not have said so yet when we look again. A file that is really lost is missed every time.
  rocksdb::Status open_beside_writer() {
    constexpr int attempts = 40, alike_max = 10;
    auto status = open_for_reading(false);
    for (int i = 0, alike = 1; i < attempts && alike < alike_max && !status.ok(); ++i) {
      const std::string complaint = status.ToString();
      status = open_for_reading(false);
      alike = status.ToString() == complaint ? alike + 1 : 1;
    }
    return status;
  }

  /// Damaged files cost only what they hold. Where the database does not even know its files, or
  /// its log is damaged, what the files themselves hold is read.
  Status open_what_is_whole() {
    Status sound = check_format(folder);
    if (sound) {
      const auto status = open_beside_writer();
      if (status.ok() || (open_for_reading(true).ok() && !damaged_files().empty())) return ok();
      sound = open_failure(status);
    }
    if (sound.error().code != Errc::corruption) return sound;
    salvaged = SalvagedCopy::make(folder);
    const bool readable = salvaged && repair(salvaged->folder()) && open_for_reading(true).ok();
    return readable && !live_files().empty() ? ok() : sound;
  }

  Status open_for_writing(bool create) {
    std::error_code error;
    fs::remove_all(folder / "staging", error);
    if (!error) fs::create_directories(folder / "staging", error);
    if (error)
      return Error{Errc::io_error, "clearing " + (folder / "staging").string() + ": " +
                                       error.message() + "; the folder must be writable"};
    rocksdb::DB* opened = nullptr;
    std::vector<rocksdb::ColumnFamilyHandle*> in_order;
    const auto status = rocksdb::DB::Open(database_options(true, create), folder.string(),
                                          descriptors(), &in_order, &opened);
    if (!status.ok()) return open_failure(status);
    adopt(opened, in_order);
    return mark_format(folder);
  }

  /// Why opening failed; looks for the files to blame, since RocksDB may name another one.
  Error open_failure(const rocksdb::Status& status) {
    Error error = translate(status, "opening store " + folder.string());
    if (error.code != Errc::corruption) return error;
    const std::string lost = db || open_for_reading(true).ok() ? damaged_files() : "";
    if (!lost.empty()) error.context += "; missing or damaged: " + lost;
    error.context += damaged_remedy;
    return error;
  }
};

Database::Database(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Database::~Database() = default;

Result<std::unique_ptr<Database>> Database::open(const fs::path& folder, OpenMode mode) {
  auto impl = std::make_unique<Impl>();
  impl->folder = folder;
  const bool create = mode == OpenMode::create;
  if (mode == OpenMode::read_only) {
    if (auto status = impl->open_what_is_whole(); !status) return status.error();
  } else {
    if (auto status = check_format(folder);
        !status && !(create && status.error().code == Errc::not_found))
      return status.error();
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
      return Error{Errc::io_error, "making folder " + folder.string() + ": " + error.message()};
    auto lock = StoreLock::acquire(folder);
    if (!lock) return lock.error();
    impl->lock.emplace(std::move(*lock));
    if (auto status = impl->open_for_writing(create); !status) return status.error();
  }
  return std::unique_ptr<Database>(new Database(std::move(impl)));
}

Status Database::repair(const fs::path& folder) {
  if (!holds_table_files(folder) && !fs::exists(folder / "FORMAT"))
    return Error{Errc::not_found, "repairing store " + folder.string() + ": it holds no store"};
  auto lock = StoreLock::acquire(folder);
  if (!lock) return lock.error();
  const auto status =
      rocksdb::RepairDB(folder.string(), database_options(true, true), descriptors());
  if (!status.ok()) return translate(status, "repairing store " + folder.string());
  Impl repaired;
  repaired.folder = folder;
  return repaired.open_for_writing(false);
}

const fs::path& Database::folder() const {
  return impl_->folder;
}
bool Database::writable() const {
  return impl_->lock.has_value();
}

Result<std::string> Database::read(Table table, std::string_view key) const {
  std::string value;
  const auto status = impl_->db->Get({}, impl_->handle(table), as_slice(key), &value);
  if (!status.ok()) return translate(status, impl_->attempted("reading", key));
  return value;
}

Status Database::visit(
    Table table, std::string_view prefix,
    const std::function<Status(std::string_view key, std::string_view value)>& use) const {
  const std::unique_ptr<rocksdb::Iterator> at(impl_->db->NewIterator({}, impl_->handle(table)));
  for (at->Seek(as_slice(prefix)); at->Valid() && at->key().starts_with(as_slice(prefix));
       at->Next()) {
    if (auto status = use(at->key().ToStringView(), at->value().ToStringView()); !status)
      return status;
  }
  if (!at->status().ok()) return translate(at->status(), impl_->attempted("listing", prefix));
  return ok();
}

std::vector<std::string> Database::catalog(std::string_view prefix) const {
  std::set<std::string> keys;
  for (auto& range : files(Table::catalog))
    for (auto* key : {&range.first, &range.last})
      if (key->starts_with(prefix)) keys.insert(std::move(*key));
  // A file may hold nothing but the mark that a key was removed.
  std::erase_if(keys, [this](const std::string& key) {
    const auto value = read(Table::catalog, key);
    return !value && value.error().code == Errc::not_found;
  });
  return {keys.begin(), keys.end()};
}

std::vector<Database::KeyRange> Database::files(Table table) const {
  std::vector<KeyRange> ranges;
  for (auto& file : impl_->live_files())
    if (file.column_family_name == impl_->handle(table)->GetName())
      ranges.push_back({std::move(file.smallestkey), std::move(file.largestkey)});
  return ranges;
}

Status Database::write(const Batch& batch) {
  if (auto status = impl_->check_writable(); !status) return status;
  rocksdb::WriteBatch changes;
  for (const auto& [table, key, value] : batch.operations) {
    const auto status = value ? changes.Put(impl_->handle(table), key, *value)
                              : changes.Delete(impl_->handle(table), key);
    if (!status.ok()) return translate(status, impl_->attempted("writing", key));
  }
  rocksdb::WriteOptions options;
  options.sync = true;
  const auto status = impl_->db->Write(options, &changes);
  if (!status.ok()) return translate(status, "writing to store " + impl_->folder.string());
  return ok();
}

Result<TableWriter> Database::new_table(Table table) {
  if (auto status = impl_->check_writable(); !status) return status.error();
  const fs::path path =
      impl_->folder / "staging" / (std::to_string(impl_->next_staging++) + ".sst");
  rocksdb::EnvOptions environment;
  // Writing back while the rest is prepared spares the final sync most of its wait.
  environment.bytes_per_sync = 8 << 20;
  const rocksdb::Options options(database_options(true, false), table_options(table));
  // The next checkpoint compares its blocks with these, so they are worth their place there.
  constexpr bool drop_from_page_cache = false;
  auto impl = std::unique_ptr<TableWriter::Impl>(new TableWriter::Impl{
      path, table,
      rocksdb::SstFileWriter(environment, options, impl_->handle(table), drop_from_page_cache)});
  const auto status = impl->writer.Open(path.string());
  if (!status.ok()) return translate(status, "making file " + path.string());
  return TableWriter(std::move(impl));
}

Status Database::ingest(std::vector<TableWriter> writers) {
  std::vector<rocksdb::IngestExternalFileArg> arguments;
  for (auto& writer : writers) {
    const auto status = writer.impl_->writer.Finish();
    if (!status.ok()) return translate(status, "writing " + writer.impl_->path.string());
    rocksdb::IngestExternalFileArg argument;
    argument.column_family = impl_->handle(writer.impl_->table);
    argument.external_files = {writer.impl_->path.string()};
    argument.options.move_files = true;
    argument.options.write_global_seqno = false;
    arguments.push_back(std::move(argument));
  }
  const auto status = impl_->db->IngestExternalFiles(arguments);
  if (!status.ok()) return translate(status, "adding files to store " + impl_->folder.string());
  return ok();
}

Status Database::erase(Table table, const std::string& first, const std::string& last) {
  if (auto status = impl_->check_writable(); !status) return status;
  const std::string attempted = impl_->attempted("erasing", first);
  const rocksdb::Slice begin(first), end(last);
  auto status = rocksdb::DeleteFilesInRange(impl_->db.get(), impl_->handle(table), &begin, &end);
  if (!status.ok()) return translate(status, attempted);
  if (std::ranges::none_of(files(table), [&](const KeyRange& file) {
        return file.first <= last && first <= file.last;
      }))
    return ok();
  rocksdb::WriteOptions options;
  options.sync = true;
  status = impl_->db->DeleteRange(options, impl_->handle(table), begin, last + '\0');
  if (!status.ok()) return translate(status, attempted);
  return ok();
}

std::uint64_t Database::stored_bytes(Table table, const std::string& first,
                                     const std::string& last) const {
  const rocksdb::Range range(first, last);
  std::uint64_t bytes = 0;
  impl_->db->GetApproximateSizes(impl_->handle(table), &range, 1, &bytes);
  return bytes;
}

Status Database::compact(Table table, const std::string& first, const std::string& last) {
  if (auto status = impl_->check_writable(); !status) return status;
  const rocksdb::Slice begin(first), end(last);
  const auto status = impl_->db->CompactRange({}, impl_->handle(table), &begin, &end);
  if (!status.ok()) return translate(status, impl_->attempted("compacting", first));
  return ok();
}

}  // namespace slime::storage
