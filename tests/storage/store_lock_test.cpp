#include "storage/store_lock.hpp"

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>

#include "storage/checkpoint_store.hpp"
#include "storage/closing_record.hpp"
#include "storage/newest_valid.hpp"
#include "tests/storage/tree_bytes.hpp"
#include "tests/storage/writer_process.hpp"
#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::storage;

BOOST_AUTO_TEST_SUITE(store_lock_test)

BOOST_FIXTURE_TEST_CASE(one_holder_at_a_time, tests::TempDir) {
  {
    const auto held = StoreLock::acquire(path());
    BOOST_REQUIRE(bool(held));
    const auto second = StoreLock::acquire(path());
    BOOST_REQUIRE(!second);
    BOOST_TEST((second.error().code == Errc::already_exists));
    BOOST_TEST(second.error().context.find("pid " + std::to_string(::getpid())) !=
               std::string::npos);
  }
  BOOST_TEST(bool(StoreLock::acquire(path())));
}

BOOST_FIXTURE_TEST_CASE(the_error_names_folder_and_process, tests::TempDir) {
  tests::WriterProcess holder("hold", path());
  BOOST_REQUIRE((holder.line() == "ready"));
  const auto pid = "pid " + std::to_string(holder.pid()) + " on";
  const auto second = StoreLock::acquire(path());
  BOOST_REQUIRE(!second);
  BOOST_TEST(second.error().context.find(path().string()) != std::string::npos);
  BOOST_TEST(second.error().context.find(pid) != std::string::npos);
  holder.kill();
  BOOST_TEST(bool(StoreLock::acquire(path())));
}

// Goal: who lost the store knows, whether the file is another one now or says another name. Method:
// what other machines do on a file system that gave the lock away.
BOOST_FIXTURE_TEST_CASE(a_holder_that_was_replaced_finds_out, tests::TempDir) {
  const auto first = StoreLock::acquire(path());
  BOOST_REQUIRE(bool(first));
  BOOST_TEST(bool(first->check_held()));
  std::filesystem::remove(path() / "OWNER");
  BOOST_TEST((first->check_held().error().code == Errc::stale));
  const auto second = StoreLock::acquire(path());
  BOOST_REQUIRE(bool(second));
  BOOST_TEST(bool(second->check_held()));
  const Status lost = first->check_held();
  BOOST_REQUIRE(!lost);
  BOOST_TEST((lost.error().code == Errc::stale));
  BOOST_TEST(lost.error().context.find("pid " + std::to_string(::getpid())) != std::string::npos);
  write("OWNER", "pid 7 on elsewhere\n0\n");
  BOOST_TEST(second->check_held().error().context.find("pid 7 on elsewhere has taken it over") !=
             std::string::npos);
}

// Goal: a process that was stopped while another one took its store over changes nothing any more,
// nor does its end. Method: real processes; with the files that are locked, the locks go, as on a
// file system that takes them from a machine which does not answer.
BOOST_FIXTURE_TEST_CASE(a_stopped_writer_that_wakes_up_writes_nothing, tests::TempDir) {
  const auto folder = path() / "head";
  tests::WriterProcess stopped("late", folder);
  BOOST_REQUIRE((stopped.line() == "1"));
  ::kill(stopped.pid(), SIGSTOP);
  BOOST_TEST(
      (CheckpointStore::open(folder, OpenMode::read_write).error().code == Errc::already_exists));
  std::filesystem::remove(folder / "OWNER");
  std::filesystem::remove(folder / "LOCK");
  tests::WriterProcess successor("late", folder);
  BOOST_REQUIRE((successor.line() == "2"));
  stopped.go_on();
  ::kill(stopped.pid(), SIGCONT);
  BOOST_TEST((stopped.line() == "stale"));
  BOOST_TEST(!stopped.line().has_value());
  BOOST_TEST(!stopped.was_killed());
  successor.go_on();
  BOOST_TEST((successor.line() == "3"));
  BOOST_TEST(!successor.was_killed());
  const auto store = CheckpointStore::open(folder, OpenMode::read_only);
  BOOST_REQUIRE(bool(store));
  BOOST_TEST((store->list() == std::vector<CheckpointId>{{1, 1}, {1, 2}, {1, 3}}));
  for (const CheckpointId id : store->list()) BOOST_TEST(bool(verify(path(), "head", id)));
  BOOST_TEST(store->damaged_files().empty());
}

BOOST_AUTO_TEST_CASE(a_missing_folder_is_an_io_error) {
  const auto lock = StoreLock::acquire("/nonexistent/store");
  BOOST_REQUIRE(!lock);
  BOOST_TEST((lock.error().code == Errc::io_error));
}

// Method: the record of a closing goes when the lock is acquired, and only then.
BOOST_FIXTURE_TEST_CASE(looking_whether_it_is_free_changes_nothing, tests::TempDir) {
  { BOOST_REQUIRE(bool(StoreLock::acquire(path()))); }
  BOOST_REQUIRE(bool(record_closing(path())));
  const auto before = tests::tree_bytes(path());
  BOOST_TEST(bool(StoreLock::check_free(path())));
  BOOST_TEST((tests::tree_bytes(path()) == before));
  const auto held = StoreLock::acquire(path());
  BOOST_TEST((StoreLock::check_free(path()).error().code == Errc::already_exists));
  BOOST_TEST(!std::filesystem::exists(path() / "CLOSED"));
}

BOOST_AUTO_TEST_SUITE_END()
