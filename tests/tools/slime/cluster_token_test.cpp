#include "tools/slime/cluster_token.hpp"

#include <fcntl.h>

#include <boost/test/unit_test.hpp>

#include "tests/support/temp_dir.hpp"
#include "tools/slime/descriptor.hpp"
#include "tools/slime/session.hpp"

using namespace slime;
using namespace slime::tests;
using namespace slime::tools;

BOOST_FIXTURE_TEST_SUITE(cluster_token_test, TempDir)

BOOST_AUTO_TEST_CASE(a_descriptor_counts_before_a_file_and_a_file_before_the_session) {
  const auto session = path() / "session";
  BOOST_REQUIRE(bool(Session::create(session)->write_token("of the session")));
  const auto file = write("token", "of the file\n");
  const Descriptor other(::open(write("other", "of the descriptor").c_str(), O_RDONLY));
  BOOST_TEST(find_token({-1, {}, session})->text == "of the session");
  BOOST_TEST(find_token({-1, file, session})->text == "of the file");
  BOOST_TEST(find_token({other.number(), file, session})->text == "of the descriptor");
}

BOOST_AUTO_TEST_CASE(no_token_is_an_error_that_says_where_it_was_looked_for) {
  const auto absent = find_token({-1, path() / "absent", path()});
  BOOST_REQUIRE(!absent);
  BOOST_TEST((absent.error().code == Errc::not_found));
  BOOST_TEST(absent.error().context.find("absent") != std::string::npos);
  BOOST_TEST((find_token({-1, write("empty", ""), path()}).error().code == Errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_session_without_a_token_leaves_it_to_the_cluster_to_miss_one) {
  const auto none = find_token({-1, {}, path() / "nowhere"});
  BOOST_REQUIRE(bool(none));
  BOOST_TEST(none->text.empty());
  const Error refused = none->explain({Errc::refused, "another token"});
  BOOST_TEST((refused.code == Errc::refused));
  BOOST_TEST(refused.context.find("no token was shown") != std::string::npos);
  BOOST_TEST(refused.context.find("nowhere") != std::string::npos);
  BOOST_TEST(none->explain({Errc::unavailable, "gone"}).context == "gone");
}

BOOST_AUTO_TEST_CASE(a_token_that_is_refused_is_told_by_its_source) {
  const auto file = write("token", "of the file");
  const auto found = find_token({-1, file, path()});
  const std::string why = found->explain({Errc::refused, "another token"}).context;
  BOOST_TEST(why.starts_with("another token; "), why);
  BOOST_TEST(why.find("the token of file " + file.string()) != std::string::npos, why);
  BOOST_TEST(found->explain({Errc::unavailable, "gone"}).context == "gone");
}

BOOST_AUTO_TEST_SUITE_END()
