#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <string_view>

#include "tests/tools/slime/run_slime.hpp"

using namespace slime::tests;

namespace main_test {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}
bool is_one_line(const std::string& text) {
  return text.find('\n') + 1 == text.size();
}

}  // namespace main_test

// The real program, end to end.
BOOST_FIXTURE_TEST_SUITE(main_test, TempDir)

BOOST_AUTO_TEST_CASE(help_and_version_are_data) {
  const Outcome help = run_slime("--help");
  BOOST_TEST(help.code == 0);
  BOOST_TEST(has(help.out, "config show"));
  BOOST_TEST(help.err == "");
  BOOST_TEST(has(run_slime("--version").out, "slime 0."));
  BOOST_TEST(has(run_slime("--version --json").out, "{\"schema\":\"slime.v1\",\"version\":\"0."));
}

BOOST_AUTO_TEST_CASE(wrong_words_and_flags_are_refused_with_the_nearest_one) {
  const Outcome nothing = run_slime("");
  BOOST_TEST(nothing.code == 2);
  BOOST_TEST(nothing.out == "");
  const Outcome word = run_slime("confg show");
  BOOST_TEST(word.code == 2);
  BOOST_TEST(has(word.err, "did you mean \"config show\"?"));
  BOOST_TEST(is_one_line(word.err));
  const Outcome flag = run_slime("config show --orgin");
  BOOST_TEST(flag.code == 2);
  BOOST_TEST(has(flag.err, "there is no flag --orgin; did you mean \"--origin\"?"));
  BOOST_TEST(is_one_line(flag.err));
}

BOOST_AUTO_TEST_CASE(output_that_cannot_be_written_is_not_success) {
  BOOST_TEST(run_slime("config show >/dev/full").code == 1);
  // A pipe whose reader has gone: quiet, with the code that shells show for SIGPIPE.
  int pipe[2];
  BOOST_REQUIRE(::pipe(pipe) == 0);
  ::close(pipe[0]);
  BOOST_REQUIRE(::dup2(pipe[1], 9) == 9);
  ::close(pipe[1]);
  const Outcome gone = run_slime("config show >&9");
  ::close(9);
  BOOST_TEST(gone.code == 128 + SIGPIPE);
  BOOST_TEST(gone.err == "");
}

BOOST_AUTO_TEST_SUITE_END()
