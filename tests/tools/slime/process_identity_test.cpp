#include "tools/slime/process_identity.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <string>
#include <vector>

#include "tools/slime/child_process.hpp"

using namespace slime;
using namespace slime::tools;
using namespace std::chrono_literals;

namespace process_identity_test {

ChildProcess shell(const std::string& script) {
  return ChildProcess::start({"test", {"/bin/sh", "-c", script}, ""}).value();
}

}  // namespace process_identity_test

BOOST_AUTO_TEST_SUITE(process_identity_test)

BOOST_AUTO_TEST_CASE(a_process_is_known_by_number_and_start) {
  const auto self = identify(::getpid()).value();
  BOOST_TEST(is_running(self));
  ProcessIdentity other = self;
  other.start_ticks += 1;
  BOOST_TEST(!is_running(other));
  other = self;
  other.boot_id = "another boot";
  BOOST_TEST(!is_running(other));
  BOOST_TEST((identify(0).error().code == Errc::not_found));
}

BOOST_AUTO_TEST_CASE(a_name_with_spaces_and_parentheses_is_no_trap) {
  char before[16];
  ::prctl(PR_GET_NAME, before);
  const auto plain = identify(::getpid()).value();
  ::prctl(PR_SET_NAME, ") Z 1 (x");
  const auto tricky = identify(::getpid());
  ::prctl(PR_SET_NAME, before);
  BOOST_TEST((tricky.value() == plain));
}

BOOST_AUTO_TEST_CASE(a_corpse_does_not_run) {
  const ChildProcess child = shell("exit 0");
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(child.pid()), &info, WEXITED | WNOWAIT);
  BOOST_TEST((identify(child.pid()).error().code == Errc::not_found));
}

// Case A1: only the processes that were recorded are touched, whatever others are called and
// whatever became of a recorded number.
BOOST_AUTO_TEST_CASE(stopping_hits_only_the_process_that_was_recorded) {
  const ChildProcess recorded = shell("exec sleep 600");
  const ChildProcess reused = shell("exec sleep 600");
  const ChildProcess deaf = shell("trap '' TERM; echo ready; while :; do sleep 1; done");
  char ready;
  while (::read(deaf.output(), &ready, 1) != 1) ::poll(nullptr, 0, 1);
  ProcessIdentity stale = identify(reused.pid()).value();
  stale.start_ticks -= 1;
  const std::vector<ProcessIdentity> processes{
      identify(recorded.pid()).value(), stale, identify(deaf.pid()).value(), {0, 0, ""}};
  const auto outcomes = stop_processes(processes, 300ms, false);
  BOOST_TEST((outcomes == std::vector{StopOutcome::stopped, StopOutcome::was_gone,
                                      StopOutcome::running, StopOutcome::was_gone}));
  BOOST_TEST(!is_running(processes[0]));
  BOOST_TEST(bool(identify(reused.pid())));
  BOOST_TEST((stop_processes(processes, 10ms, true)[2] == StopOutcome::killed));
  BOOST_TEST(!is_running(processes[2]));
}

BOOST_AUTO_TEST_CASE(a_signal_reaches_the_process_that_was_recorded_and_no_later_one) {
  ChildProcess child = shell("exec sleep 600");
  const ProcessIdentity recorded = identify(child.pid()).value();
  ProcessIdentity earlier = recorded;
  earlier.start_ticks -= 1;
  BOOST_TEST(!send_signal(earlier, SIGKILL));
  BOOST_TEST(is_running(recorded));
  BOOST_TEST(send_signal(recorded, SIGKILL));
  pollfd ended{child.ended(), POLLIN, 0};
  BOOST_TEST(::poll(&ended, 1, 5000) == 1);
  BOOST_TEST(!send_signal(recorded, SIGKILL));
  BOOST_TEST(child.reap()->number == SIGKILL);
  BOOST_TEST(!send_signal({}, SIGKILL));
}

BOOST_AUTO_TEST_CASE(every_outcome_has_a_name) {
  for (int outcome = 0; outcome <= 4; ++outcome)
    BOOST_TEST(to_string(static_cast<StopOutcome>(outcome)) != "unknown");
}

// Goal: a node never loses its head before it was asked to end itself. Method: the second process
// stands still, so its signal waits where the first, which is signalled, can see it.
BOOST_AUTO_TEST_CASE(when_the_first_is_signalled_the_others_have_been) {
  const ChildProcess second = shell("exec sleep 600");
  ::kill(second.pid(), SIGSTOP);
  const ChildProcess first =
      shell("trap 'grep -q ShdPnd:.*4000 /proc/" + std::to_string(second.pid()) +
            "/status && echo asked; exit' TERM; echo ready; while :; do sleep 0.01; done");
  const auto next = [&first] {
    char letter;
    while (::read(first.output(), &letter, 1) != 1) ::poll(nullptr, 0, 1);
    return letter;
  };
  for (const char expected : std::string("ready\n")) BOOST_REQUIRE(next() == expected);
  const std::vector<ProcessIdentity> processes{identify(first.pid()).value(),
                                               identify(second.pid()).value()};
  const auto outcomes = stop_processes(processes, 2s, true);
  BOOST_TEST((outcomes == std::vector{StopOutcome::stopped, StopOutcome::killed}));
  char letter = 0;
  BOOST_TEST(::read(first.output(), &letter, 1) == 1);
  BOOST_TEST(letter == 'a');
}

BOOST_AUTO_TEST_SUITE_END()
