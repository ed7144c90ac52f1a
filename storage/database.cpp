#include "storage/database.hpp"

#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/file_checksum.h>
#include <rocksdb/sst_file_writer.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "storage/closing_record.hpp"
#include "storage/open_database.hpp"
#include "storage/store_format.hpp"
#include "storage/store_lock.hpp"
#include "storage/table_files.hpp"

namespace slime::storage {

namespace {

namespace fs = std::filesystem;

rocksdb::Slice as_slice(std::string_view text) {
  return {text.data(), text.size()};
}

bool is_missing(const Database::DamagedFile& file) {
  return file.why.code == Errc::not_found;
}

/// Empty: not known, for a repair or an older version wrote it.
std::string whole_file_checksum(const rocksdb::LiveFileMetaData& file) {
  return file.file_checksum_func_name == rocksdb::kStandardDbFileChecksumFuncName
             ? file.file_checksum
             : "";
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
  std::optional<StoreLock> lock;  // Given up last.
  OpenDatabase open;
  std::uint64_t next_staging = 0;
  bool halted = false;
  bool records_closing = false;

  explicit Impl(const fs::path& of) : folder(of), open(of) {}
  ~Impl() {
    if (!records_closing) return;
    if (const Status held = lock->check_held(); !held && held.error().code == Errc::stale) {
      open.abandon();
      return;
    }
    open.close();
    // Without it the store is as good; less damage would be noticed.
    (void)record_closing(folder);
  }

  rocksdb::DB& db() const { return open.db(); }
  rocksdb::ColumnFamilyHandle* handle(Table table) const { return open.handle(table); }

  std::string attempted(std::string_view what, std::string_view key) const {
    return std::string(what) + " \"" + std::string(key) + "\" in store " + folder.string();
  }

  /// After an error, such as a full disk, RocksDB writes nothing until it is told to go on.
  Status check_writable() {
    if (!lock)
      return Error{Errc::invalid_argument,
                   "changing store " + folder.string() + ": it was opened for reading"};
    if (Status held = lock->check_held(); !held) return held;
    if (!halted) return ok();
    const auto status = db().Resume();
    if (!status.ok())
      return translate(status, "writing to store " + folder.string() + " again after an error");
    halted = false;
    return ok();
  }
  Error failed(const rocksdb::Status& status, const std::string& doing) {
    halted = true;
    return translate(status, doing);
  }
};

Database::Database(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Database::~Database() = default;

Result<std::unique_ptr<Database>> Database::open(const fs::path& folder, OpenMode mode) {
  auto impl = std::make_unique<Impl>(folder);
  const bool create = mode == OpenMode::create;
  if (mode == OpenMode::read_only) {
    if (auto status = impl->open.what_is_whole(); !status) return status.error();
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
    // Opening for writing deletes every file that it does not know.
    if (auto status = OpenDatabase(folder).lists_every_file(); !status) return status.error();
    if (auto status = impl->open.for_writing(create); !status) return status.error();
    impl->records_closing = true;
  }
  return std::unique_ptr<Database>(new Database(std::move(impl)));
}

Status Database::repair(const fs::path& folder) {
  if (table_files(folder).empty() && !fs::exists(folder / "FORMAT"))
    return Error{Errc::not_found, "repairing store " + folder.string() + ": it holds no store"};
  auto lock = StoreLock::acquire(folder);
  if (!lock) return lock.error();
  if (Status room = OpenDatabase(folder).has_room(); !room) return room;
  const auto status = rocksdb::RepairDB(folder.string(), writing_options(true), column_families());
  if (!status.ok()) return translate(status, "repairing store " + folder.string());
  return OpenDatabase(folder).for_writing(false);
}

const fs::path& Database::folder() const {
  return impl_->folder;
}
bool Database::writable() const {
  return impl_->lock.has_value();
}
Status Database::check_writable() const {
  return impl_->check_writable();
}

Result<std::string> Database::read(Table table, std::string_view key) const {
  std::string value;
  const auto status = impl_->db().Get({}, impl_->handle(table), as_slice(key), &value);
  if (!status.ok()) return translate(status, impl_->attempted("reading", key));
  return value;
}

Status Database::read(Table table, std::string_view key,
                      const std::function<Status(std::string_view value)>& use) const {
  rocksdb::PinnableSlice value;
  const auto status = impl_->db().Get({}, impl_->handle(table), as_slice(key), &value);
  if (!status.ok()) return translate(status, impl_->attempted("reading", key));
  return use(value.ToStringView());
}

Status Database::visit(
    Table table, std::string_view prefix,
    const std::function<Status(std::string_view key, std::string_view value)>& use) const {
  const std::unique_ptr<rocksdb::Iterator> at(impl_->db().NewIterator({}, impl_->handle(table)));
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

std::vector<Database::TableFile> Database::files(Table table) const {
  std::vector<TableFile> files;
  for (auto& file : impl_->open.live_files())
    if (file.column_family_name == impl_->handle(table)->GetName())
      files.push_back({std::move(file.relative_filename), std::move(file.smallestkey),
                       std::move(file.largestkey)});
  return files;
}

std::string Database::files_of(Table table, std::string_view key) const {
  std::string names;
  for (const auto& file : files(table))
    if (file.first <= key && key <= file.last) names += (names.empty() ? "" : ", ") + file.name;
  return names;
}

std::vector<Database::DamagedFile> Database::damaged_files() const {
  // What is read without bookkeeping is every file that is whole, so look at the others, too.
  std::map<std::string, std::string> checksums;
  if (bookkeeping_damage())
    for (const auto& name : table_files(impl_->folder)) checksums[name];
  else
    for (const auto& file : impl_->open.live_files())
      checksums[file.relative_filename] = whole_file_checksum(file);
  auto damaged = changed_since_closing(impl_->folder);
  const auto of_tables = static_cast<std::ptrdiff_t>(damaged.size());
  for (const auto& [name, checksum] : checksums)
    if (auto status = check_table_file(impl_->folder / name, checksum); !status)
      damaged.push_back({name, status.error()});
  if (std::none_of(damaged.begin() + of_tables, damaged.end(), is_missing)) return damaged;
  // A writer may have retired it meanwhile; a lost one is still on a new list.
  OpenDatabase now(impl_->folder);
  if (!now.what_is_whole()) return damaged;
  std::erase_if(damaged, [listed = now.listed_files()](const DamagedFile& file) {
    return is_missing(file) && !listed.contains(file.name);
  });
  return damaged;
}

const std::optional<Error>& Database::bookkeeping_damage() const {
  return impl_->open.bookkeeping_damage();
}

Status Database::write(const Batch& batch) {
  if (auto status = check_writable(); !status) return status;
  rocksdb::WriteBatch changes;
  for (const auto& [table, key, value] : batch.operations) {
    const auto status = value ? changes.Put(impl_->handle(table), key, *value)
                              : changes.Delete(impl_->handle(table), key);
    if (!status.ok()) return translate(status, impl_->attempted("writing", key));
  }
  rocksdb::WriteOptions options;
  options.sync = true;
  const auto status = impl_->db().Write(options, &changes);
  if (!status.ok()) return impl_->failed(status, "writing to store " + impl_->folder.string());
  return ok();
}

Result<TableWriter> Database::new_table(Table table) {
  if (auto status = check_writable(); !status) return status.error();
  const fs::path path =
      staging_folder(impl_->folder) / (std::to_string(impl_->next_staging++) + ".sst");
  rocksdb::EnvOptions environment;
  // Writing back while the rest is prepared spares the final sync most of its wait.
  environment.bytes_per_sync = 8 << 20;
  const rocksdb::Options options(writing_options(false), table_options(table));
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
  // Making the files may have taken long.
  if (auto status = check_writable(); !status) return status;
  std::vector<rocksdb::IngestExternalFileArg> arguments;
  for (auto& writer : writers) {
    rocksdb::ExternalSstFileInfo written;
    const auto status = writer.impl_->writer.Finish(&written);
    if (!status.ok()) return translate(status, "writing " + writer.impl_->path.string());
    rocksdb::IngestExternalFileArg argument;
    argument.column_family = impl_->handle(writer.impl_->table);
    argument.external_files = {writer.impl_->path.string()};
    argument.options.move_files = true;
    argument.options.write_global_seqno = false;
    // Made while the file was written, so it is not read again.
    argument.options.verify_file_checksum = false;
    argument.files_checksums = {written.file_checksum};
    argument.files_checksum_func_names = {written.file_checksum_func_name};
    arguments.push_back(std::move(argument));
  }
  const auto status = impl_->db().IngestExternalFiles(arguments);
  if (!status.ok()) return impl_->failed(status, "adding files to store " + impl_->folder.string());
  return ok();
}

Status Database::erase(Table table, const std::string& first, const std::string& last) {
  if (auto status = check_writable(); !status) return status;
  const std::string attempted = impl_->attempted("erasing", first);
  const rocksdb::Slice begin(first), end(last);
  std::vector<std::string> leaving;
  for (const auto& file : impl_->open.live_files())
    if (first <= file.smallestkey && file.largestkey <= last &&
        file.column_family_name == impl_->handle(table)->GetName())
      leaving.push_back(file.relative_filename);
  const LeavingFiles marked(impl_->folder, std::move(leaving));
  auto status = rocksdb::DeleteFilesInRange(&impl_->db(), impl_->handle(table), &begin, &end);
  if (!status.ok()) return impl_->failed(status, attempted);
  if (std::ranges::none_of(files(table), [&](const TableFile& file) {
        return file.first <= last && first <= file.last;
      }))
    return ok();
  rocksdb::WriteOptions options;
  options.sync = true;
  status = impl_->db().DeleteRange(options, impl_->handle(table), begin, last + '\0');
  if (!status.ok()) return impl_->failed(status, attempted);
  return ok();
}

std::uint64_t Database::stored_bytes(Table table, const std::string& first,
                                     const std::string& last) const {
  const rocksdb::Range range(first, last);
  std::uint64_t bytes = 0;
  impl_->db().GetApproximateSizes(impl_->handle(table), &range, 1, &bytes);
  return bytes;
}

Status Database::compact(Table table, const std::string& first, const std::string& last) {
  if (auto status = check_writable(); !status) return status;
  const rocksdb::Slice begin(first), end(last);
  const auto status = impl_->db().CompactRange({}, impl_->handle(table), &begin, &end);
  if (!status.ok()) return impl_->failed(status, impl_->attempted("compacting", first));
  return ok();
}

}  // namespace slime::storage
