#include "tools/slime/session_record.hpp"

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>

#include "tests/support/temp_dir.hpp"

using namespace slime;
using namespace slime::tools;

BOOST_FIXTURE_TEST_SUITE(session_record_test, tests::TempDir)

BOOST_AUTO_TEST_CASE(a_record_reads_back_as_it_was_written) {
  const Member member{{1234, 18446744073709551615u, "boot"},
                      ProcessRole::head,
                      "a \"name\"",
                      {"unix:/run/a.sock", "10.0.0.1:7000"},
                      1700000000000001};
  const Member again = read_record(write_record(member)).value();
  BOOST_TEST((again.process == member.process));
  BOOST_TEST((again.role == ProcessRole::head));
  BOOST_TEST(again.name == member.name);
  BOOST_TEST(again.endpoints == member.endpoints, boost::test_tools::per_element());
  BOOST_TEST(again.started_at_us == member.started_at_us);
}

BOOST_AUTO_TEST_CASE(anything_else_is_corruption_and_no_crash) {
  for (const char* text : {"", "{", "[]", "null", "{}", "{\"pid\":\"x\"}", "{\"pid\":-4}",
                           "\xff\xfe", "{\"pid\":99999999999}"}) {
    const auto record = read_record(text);
    BOOST_TEST(!record, text);
    if (!record) BOOST_TEST((record.error().code == Errc::corruption), text);
  }
}

BOOST_AUTO_TEST_CASE(a_replaced_file_is_private_and_leaves_no_draft) {
  BOOST_TEST(bool(replace_file(path() / "token", "one")));
  BOOST_TEST(bool(replace_file(path() / "token", "two")));
  BOOST_TEST(read("token") == "two");
  struct stat status {};
  BOOST_REQUIRE(::stat((path() / "token").c_str(), &status) == 0);
  BOOST_TEST((status.st_mode & 0777) == 0600u);
  BOOST_TEST(std::distance(std::filesystem::directory_iterator(path()), {}) == 1);
  BOOST_TEST((replace_file(path() / "no" / "token", "x").error().code == Errc::io_error));
}

BOOST_AUTO_TEST_SUITE_END()
