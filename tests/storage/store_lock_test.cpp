#include "storage/store_lock.hpp"

#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "storage/closing_record.hpp"
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
