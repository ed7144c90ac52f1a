#include "tools/slime/bounded_log.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/temp_dir.hpp"

using namespace slime::tools;

BOOST_FIXTURE_TEST_SUITE(bounded_log_test, slime::tests::TempDir)

BOOST_AUTO_TEST_CASE(a_log_never_outgrows_its_bound_and_keeps_the_newest) {
  BoundedLog log(path() / "a.log", 1000);
  for (int i = 0; i < 10000; ++i) {
    log.append("line " + std::to_string(i) + "\n");
    std::uintmax_t size = 0;
    for (const char* name : {"a.log", "a.log.1"})
      if (std::filesystem::exists(path() / name)) size += std::filesystem::file_size(path() / name);
    BOOST_REQUIRE(size <= 1000);
  }
  BOOST_TEST(read("a.log").ends_with("line 9999\n"));
  BOOST_TEST(log.dropped_bytes() == 0u);
}

BOOST_AUTO_TEST_CASE(a_log_goes_on_where_an_earlier_process_stopped) {
  BoundedLog(path() / "a.log", 1000).append("first\n");
  BoundedLog(path() / "a.log", 1000).append("second\n");
  BOOST_TEST(read("a.log") == "first\nsecond\n");
}

BOOST_AUTO_TEST_CASE(one_huge_piece_is_cut_to_its_end) {
  BoundedLog log(path() / "a.log", 100);
  log.append(std::string(1000, 'x') + "end");
  BOOST_TEST(read("a.log").size() == 50u);
  BOOST_TEST(read("a.log").ends_with("xend"));
  BOOST_TEST(log.dropped_bytes() == 953u);
}

BOOST_AUTO_TEST_CASE(a_log_that_cannot_be_written_is_counted_and_recovers) {
  BoundedLog log(path() / "later" / "a.log", 100);
  log.append("lost");
  BOOST_TEST(log.dropped_bytes() == 4u);
  std::filesystem::create_directory(path() / "later");
  log.append("kept");
  BOOST_TEST(read("later/a.log") == "kept");
  BOOST_TEST(log.dropped_bytes() == 4u);
}

BOOST_AUTO_TEST_SUITE_END()
