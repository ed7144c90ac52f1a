#include "tools/slime/node_log.hpp"

#include <unistd.h>

#include <boost/test/unit_test.hpp>

using namespace slime;
using namespace slime::tools;

BOOST_AUTO_TEST_SUITE(node_log_test)

BOOST_AUTO_TEST_CASE(a_line_tells_when_how_bad_and_what) {
  BOOST_TEST(log_line(LogLevel::warning, "two\nlines", 1'700'000'000'012'345) ==
             "2023-11-14T22:13:20.012Z warning two lines");
}

BOOST_AUTO_TEST_CASE(levels_have_names) {
  for (const LogLevel level : {LogLevel::debug, LogLevel::info, LogLevel::warning, LogLevel::error})
    BOOST_TEST((log_level(to_string(level)) == level));
  BOOST_TEST(!log_level("loud"));
  BOOST_TEST(!log_level(""));
}

BOOST_AUTO_TEST_CASE(what_matters_less_is_left_out) {
  int pipe[2];
  BOOST_REQUIRE(::pipe(pipe) == 0);
  const NodeLog log = log_to(pipe[1], LogLevel::warning);
  log(LogLevel::info, "no");
  log(LogLevel::error, "yes");
  ::close(pipe[1]);
  char text[256];
  const ssize_t size = ::read(pipe[0], text, sizeof text);
  ::close(pipe[0]);
  BOOST_REQUIRE(size > 0);
  BOOST_TEST(std::string(text, static_cast<std::size_t>(size)).ends_with("Z error yes\n"));
}

BOOST_AUTO_TEST_SUITE_END()
