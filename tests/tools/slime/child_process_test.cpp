#include "tools/slime/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>

#include <boost/test/unit_test.hpp>
#include <cstring>

#include "tests/support/temp_dir.hpp"
#include "tools/slime/process_identity.hpp"

using namespace slime;
using namespace slime::tools;
using namespace std::chrono_literals;

namespace child_process_test {

ChildSpec shell(const std::string& script, const std::string& token = "") {
  return {"test", {"/bin/sh", "-c", script, "sh"}, token};
}

bool wait_readable(int descriptor, int ms = 20'000) {
  pollfd wanted{descriptor, POLLIN, 0};
  return ::poll(&wanted, 1, ms) == 1;
}

ProcessExit wait_for_end(ChildProcess& child) {
  BOOST_REQUIRE(wait_readable(child.ended()));
  const auto exit = child.reap();
  BOOST_REQUIRE(bool(exit));
  return *exit;
}

/// What the child writes until it closes its output.
std::string read_output(const ChildProcess& child) {
  std::string text;
  char buffer[4096];
  while (wait_readable(child.output())) {
    const ssize_t got = ::read(child.output(), buffer, sizeof buffer);
    if (got == 0) break;
    if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace child_process_test

BOOST_AUTO_TEST_SUITE(child_process_test)

BOOST_AUTO_TEST_CASE(the_exit_code_and_the_signal_are_told_apart) {
  auto code = ChildProcess::start(shell("exit 7")).value();
  BOOST_TEST(to_string(wait_for_end(code)) == "exit code 7");
  auto signal = ChildProcess::start(shell("kill -9 $$")).value();
  BOOST_TEST(to_string(wait_for_end(signal)) == "signal 9 (Killed)");
  BOOST_TEST(!signal.reap());
}

BOOST_AUTO_TEST_CASE(a_program_that_is_not_there_is_an_error_at_once) {
  const auto child = ChildProcess::start({"ghost", {"/no/such/program"}, ""});
  BOOST_TEST(!child);
  BOOST_TEST((child.error().code == Errc::io_error));
  BOOST_TEST(child.error().context ==
             "starting ghost (/no/such/program): No such file or directory");
}

BOOST_AUTO_TEST_CASE(the_token_arrives_by_descriptor_and_nowhere_else) {
  auto child =
      ChildProcess::start(
          shell("cat <&3; echo; echo \"$@\"; tr '\\0' ' ' </proc/$$/cmdline; env", "s3cret"))
          .value();
  const std::string output = read_output(child);
  BOOST_TEST(output.starts_with("s3cret\n--token-fd 3\n"));
  BOOST_TEST(output.find("s3cret", 6) == std::string::npos);
  wait_for_end(child);
}

BOOST_AUTO_TEST_CASE(nothing_else_of_ours_is_inherited) {
  const Descriptor leaky(::open("/dev/null", O_RDONLY));  // Without close-on-exec on purpose.
  BOOST_REQUIRE(bool(leaky));
  ::signal(SIGPIPE, SIG_IGN);
  auto child = ChildProcess::start(shell("ls /proc/$$/fd; grep SigIgn /proc/$$/status; "
                                         // Of grep, which inherits it: the shell blocks all while
                                         // it starts a program.
                                         "grep SigBlk /proc/self/status; read line || echo empty"))
                   .value();
  const std::string output = read_output(child);
  ::signal(SIGPIPE, SIG_DFL);
  BOOST_TEST(output == "0\n1\n2\nSigIgn:\t0000000000000000\nSigBlk:\t0000000000000000\nempty\n");
  wait_for_end(child);
}

BOOST_AUTO_TEST_CASE(a_child_stands_in_a_group_of_its_own_and_goes_with_all_of_it) {
  auto child = ChildProcess::start(shell("sleep 600 & echo $!; wait")).value();
  BOOST_TEST(::getpgid(child.pid()) == child.pid());
  BOOST_REQUIRE(wait_readable(child.output()));
  char buffer[32] = {};
  BOOST_REQUIRE(::read(child.output(), buffer, sizeof buffer - 1) > 0);
  const auto grandchild = identify(std::stoi(buffer)).value();
  child.signal(SIGKILL);
  wait_for_end(child);
  // Killed with the group; its corpse may wait for init.
  for (int i = 0; i < 1000 && is_running(grandchild); ++i) ::poll(nullptr, 0, 10);
  BOOST_TEST(!is_running(grandchild));
}

BOOST_AUTO_TEST_CASE(dropping_a_child_kills_it) {
  ProcessIdentity process;
  {
    const auto child = ChildProcess::start({"sleeper", {"/bin/sleep", "600"}, ""}).value();
    process = identify(child.pid()).value();
  }
  BOOST_TEST(!is_running(process));
}

BOOST_AUTO_TEST_CASE(a_token_that_is_empty_or_too_long_is_refused) {
  BOOST_TEST(!ChildProcess::start({"x", {"/bin/true"}, std::string(4097, 'x')}));
  int ends[2];
  BOOST_REQUIRE(::pipe(ends) == 0);
  Descriptor read(ends[0]), write(ends[1]);
  write.close();
  BOOST_TEST((read_token(read.number()).error().code == Errc::invalid_argument));
  BOOST_TEST((read_token(-1).error().code == Errc::io_error));
}

BOOST_AUTO_TEST_CASE(variables_of_the_spec_stand_in_place_of_ours) {
  ::setenv("SLIME_TEST_REPLACED", "ours", 1);
  ::setenv("SLIME_TEST_REPLACED_NOT", "ours", 1);
  ChildSpec spec = shell("echo $SLIME_TEST_REPLACED $SLIME_TEST_REPLACED_NOT $SLIME_TEST_NEW");
  spec.environment = {"SLIME_TEST_REPLACED=theirs", "SLIME_TEST_NEW=new"};
  const auto child = ChildProcess::start(spec);
  BOOST_REQUIRE(bool(child));
  BOOST_TEST(read_output(*child) == "theirs ours new\n");
}

BOOST_AUTO_TEST_SUITE_END()
