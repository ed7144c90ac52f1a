#include "storage/database.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "tests/storage/tree_bytes.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;
namespace fs = std::filesystem;

namespace database_test {

void add_file(Database& database, Table table, const std::vector<std::string>& keys) {
  auto writer = database.new_table(table);
  BOOST_REQUIRE(bool(writer));
  for (const auto& key : keys) BOOST_REQUIRE(bool(writer->add(key, std::as_bytes(std::span(key)))));
  std::vector<TableWriter> writers;
  writers.push_back(std::move(*writer));
  BOOST_REQUIRE(bool(database.ingest(std::move(writers))));
}

/// A store with two catalog entries and two written states.
void make_store(const fs::path& folder) {
  const auto database = Database::open(folder, OpenMode::create);
  BOOST_REQUIRE(bool(database));
  add_file(**database, Table::catalog, {"manifest/1"});
  add_file(**database, Table::catalog, {"manifest/2"});
  for (const char* key : {"a", "b"}) {
    Batch batch;
    batch.put(Table::states, key, std::string(1000, 'x'));
    BOOST_REQUIRE(bool((*database)->write(batch)));
  }
}

fs::path file_like(const fs::path& folder, const std::string& start, const std::string& end) {
  fs::path found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(start) && name.ends_with(end)) found = entry.path();
  }
  BOOST_REQUIRE(!found.empty());
  return found;
}

void expect_corruption(const fs::path& folder, const std::string& named) {
  for (const auto mode : {OpenMode::create, OpenMode::read_write}) {
    const auto opened = Database::open(folder, mode);
    BOOST_REQUIRE(!opened);
    BOOST_TEST((opened.error().code == Errc::corruption));
    BOOST_TEST(opened.error().context.find(named) != std::string::npos, opened.error().context);
    BOOST_TEST(opened.error().context.find("repair") != std::string::npos);
  }
}

}  // namespace database_test

BOOST_AUTO_TEST_SUITE(database_test)

BOOST_FIXTURE_TEST_CASE(only_create_makes_a_store, tests::TempDir) {
  for (const auto mode : {OpenMode::read_only, OpenMode::read_write})
    BOOST_TEST((Database::open(path() / "n", mode).error().code == Errc::not_found));
  BOOST_TEST(!fs::exists(path() / "n"));
  BOOST_TEST(bool(Database::open(path() / "n", OpenMode::create)));
  BOOST_TEST(bool(Database::open(path() / "n", OpenMode::read_write)));
}

BOOST_FIXTURE_TEST_CASE(a_reader_beside_the_writer_changes_nothing, tests::TempDir) {
  make_store(path());
  const auto writer = Database::open(path(), OpenMode::read_write);
  BOOST_REQUIRE(bool(writer));
  const auto before = tests::tree_bytes(path());
  {
    const auto reader = Database::open(path(), OpenMode::read_only);
    BOOST_REQUIRE(bool(reader));
    BOOST_TEST((*reader)->catalog("manifest/").size() == 2u);
    BOOST_TEST((*reader)->read(Table::states, "b")->size() == 1000u);
    BOOST_TEST(((*reader)->write(Batch()).error().code == Errc::invalid_argument));
    BOOST_TEST(!(*reader)->erase(Table::catalog, "manifest/1", "manifest/1"));
    BOOST_TEST(!(*reader)->compact(Table::catalog, "a", "z"));
    BOOST_TEST(!(*reader)->new_table(Table::catalog));
  }
  BOOST_TEST((tests::tree_bytes(path()) == before));
}

BOOST_FIXTURE_TEST_CASE(a_second_writer_is_refused, tests::TempDir) {
  const auto writer = Database::open(path(), OpenMode::create);
  BOOST_REQUIRE(bool(writer));
  BOOST_TEST((Database::open(path(), OpenMode::create).error().code == Errc::already_exists));
  BOOST_TEST((Database::repair(path()).error().code == Errc::already_exists));
}

BOOST_FIXTURE_TEST_CASE(erased_keys_are_gone_and_their_files_too, tests::TempDir) {
  const auto database = Database::open(path(), OpenMode::create);
  for (const char* key : {"a/1", "a/2", "b/1"}) add_file(**database, Table::catalog, {key});
  BOOST_REQUIRE(bool((*database)->erase(Table::catalog, "a/1", "a/2")));
  BOOST_TEST((*database)->catalog("").size() == 1u);
  BOOST_TEST(((*database)->read(Table::catalog, "a/1").error().code == Errc::not_found));
  BOOST_TEST((*database)->files(Table::catalog).size() == 1u);
}

BOOST_FIXTURE_TEST_CASE(erasing_part_of_a_file_frees_its_space_when_compacted, tests::TempDir) {
  const auto database = Database::open(path(), OpenMode::create);
  auto writer = (*database)->new_table(Table::blocks);
  const std::string value(64 << 10, 'v');
  for (int i = 10; i < 42; ++i)
    BOOST_REQUIRE(bool(writer->add(std::to_string(i), std::as_bytes(std::span(value)))));
  std::vector<TableWriter> writers;
  writers.push_back(std::move(*writer));
  BOOST_REQUIRE(bool((*database)->ingest(std::move(writers))));
  BOOST_REQUIRE(bool((*database)->erase(Table::blocks, "10", "39")));
  BOOST_TEST(((*database)->read(Table::blocks, "39").error().code == Errc::not_found));
  BOOST_TEST((*database)->stored_bytes(Table::blocks, "10", "99") > 30u * value.size());
  BOOST_REQUIRE(bool((*database)->compact(Table::blocks, "10", "99")));
  BOOST_TEST((*database)->stored_bytes(Table::blocks, "10", "99") < 4u * value.size());
  BOOST_TEST((*database)->read(Table::blocks, "41").value() == value);
}

BOOST_FIXTURE_TEST_CASE(a_file_that_is_not_ingested_leaves_no_trace, tests::TempDir) {
  const auto database = Database::open(path(), OpenMode::create);
  const auto staged = [this] { return !fs::is_empty(path() / "staging"); };
  {
    auto writer = (*database)->new_table(Table::blocks);
    BOOST_TEST(staged());
  }
  BOOST_TEST(!staged());
}

BOOST_FIXTURE_TEST_CASE(missing_or_empty_bookkeeping_is_corruption_with_a_remedy, tests::TempDir) {
  const fs::path whole = path() / "whole", copy = path() / "copy";
  make_store(whole);
  const auto damage = [&](auto&& spoil, const std::string& named) {
    fs::remove_all(copy);
    fs::copy(whole, copy, fs::copy_options::recursive);
    spoil();
    expect_corruption(copy, named);
    BOOST_TEST((*Database::open(copy, OpenMode::read_only))->catalog("manifest/").size() == 2u);
    BOOST_REQUIRE(bool(Database::repair(copy)));
    const auto repaired = Database::open(copy, OpenMode::read_write);
    BOOST_REQUIRE_MESSAGE(repaired, (repaired ? "" : repaired.error().context));
    BOOST_TEST((*repaired)->catalog("manifest/").size() == 2u);
    BOOST_TEST((*repaired)->read(Table::catalog, "manifest/2").value() == "manifest/2");
    BOOST_TEST(bool((*repaired)->erase(Table::catalog, "manifest/2", "manifest/2")));
    BOOST_TEST((*repaired)->catalog("manifest/").size() == 1u);
  };
  damage([&] { fs::remove(copy / "CURRENT"); }, "CURRENT");
  damage([&] { fs::remove(file_like(copy, "MANIFEST-", "")); }, "MANIFEST");
  damage([&] { fs::resize_file(file_like(copy, "MANIFEST-", ""), 0); }, copy.string());
  damage([&] { fs::remove(copy / "FORMAT"); }, "FORMAT");
}

BOOST_FIXTURE_TEST_CASE(a_lost_table_file_costs_only_what_it_held, tests::TempDir) {
  make_store(path());
  fs::remove(file_like(path(), "", ".sst"));
  expect_corruption(path(), ".sst");
  {
    const auto reader = Database::open(path(), OpenMode::read_only);
    BOOST_REQUIRE(bool(reader));
    BOOST_TEST((*reader)->catalog("manifest/").size() == 2u);
    int readable = 0;
    for (const char* key : {"manifest/1", "manifest/2"}) {
      const auto value = (*reader)->read(Table::catalog, key);
      readable += bool(value);
      if (!value) BOOST_TEST((value.error().code == Errc::corruption));
    }
    BOOST_TEST(readable == 1);
  }
  BOOST_REQUIRE(bool(Database::repair(path())));
  const auto repaired = Database::open(path(), OpenMode::read_write);
  BOOST_REQUIRE_MESSAGE(repaired, (repaired ? "" : repaired.error().context));
  BOOST_TEST((*repaired)->catalog("manifest/").size() == 1u);
  BOOST_TEST((*repaired)->read(Table::states, "b")->size() == 1000u);
}

// Goal: damage in the log is an error unless it looks like the end of a killed process's last
// write. Method: flip a byte inside the first of two writes, then instead cut the last one.
BOOST_FIXTURE_TEST_CASE(a_flipped_log_byte_is_corruption_and_a_cut_tail_is_not, tests::TempDir) {
  const fs::path whole = path() / "whole", copy = path() / "copy";
  make_store(whole);
  fs::copy(whole, copy, fs::copy_options::recursive);
  const fs::path log = file_like(copy, "", ".log");
  std::string bytes = tests::file_bytes(log);
  BOOST_REQUIRE(bytes.size() > 2000u);
  bytes[500] = static_cast<char>(bytes[500] ^ 1);
  std::ofstream(log, std::ios::binary) << bytes;
  expect_corruption(copy, copy.string());
  // Readers come for the tables, of which the log holds nothing.
  BOOST_TEST((*Database::open(copy, OpenMode::read_only))->catalog("manifest/").size() == 2u);

  fs::resize_file(file_like(whole, "", ".log"), bytes.size() - 300);
  const auto cut = Database::open(whole, OpenMode::read_write);
  BOOST_REQUIRE(bool(cut));
  BOOST_TEST(bool((*cut)->read(Table::states, "a")));
  BOOST_TEST(((*cut)->read(Table::states, "b").error().code == Errc::not_found));
}

// Goal: no byte of a closed store may change unseen. Method: flip each of some thousands in every
// file of one.
BOOST_FIXTURE_TEST_CASE(every_changed_byte_of_a_closed_store_is_damage, tests::TempDir) {
  make_store(path());
  for (const auto& [file, whole] : tests::tree_bytes(path())) {
    const std::string name = fs::path(file).filename();
    for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 150) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
      std::ofstream(file, std::ios::binary) << damaged;
      // Some cannot even be opened, or only without what RocksDB knows of its files.
      const auto database = Database::open(path(), OpenMode::read_only);
      bool seen = !database || (*database)->bookkeeping_damage();
      if (database)
        for (const auto& found : (*database)->damaged_files()) seen = seen || found.name == name;
      BOOST_TEST(seen, name << ", byte " << at);
    }
    std::ofstream(file, std::ios::binary) << whole;
  }
  BOOST_TEST((*Database::open(path(), OpenMode::read_only))->damaged_files().empty());
}

BOOST_FIXTURE_TEST_CASE(beside_a_writer_nothing_is_taken_for_damage, tests::TempDir) {
  make_store(path());
  const auto writer = Database::open(path(), OpenMode::read_write);
  BOOST_REQUIRE(bool(writer));
  add_file(**writer, Table::catalog, {"manifest/3"});
  BOOST_TEST((*Database::open(path(), OpenMode::read_only))->damaged_files().empty());
}

BOOST_AUTO_TEST_SUITE_END()
