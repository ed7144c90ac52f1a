#include "tools/slime/stop_signals.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <future>
#include <thread>

using namespace slime;
using namespace slime::tools;
using namespace std::chrono_literals;

namespace stop_signals_test {

/// What `waitpid` tells of a child that runs `body` and ends with 0 if that is true.
template <class Body>
int status_of_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body() ? 0 : 1);
  int status = -1;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
  return status;
}

}  // namespace stop_signals_test

BOOST_AUTO_TEST_SUITE(stop_signals_test)

BOOST_AUTO_TEST_CASE(signals_to_the_process_are_waited_for_in_any_number) {
  StopSignals signals;
  BOOST_TEST(!signals.wait(1ms));
  ::kill(::getpid(), SIGTERM);
  const auto first = signals.wait();
  BOOST_REQUIRE(first.has_value());
  BOOST_TEST(first->number == SIGTERM);
  BOOST_TEST(first->sender == ::getpid());
  ::kill(::getpid(), SIGINT);
  BOOST_TEST(signals.wait(20s).value_or(StopSignal()).number == SIGINT);
  BOOST_TEST(!signals.wait(1ms));
}

// Goal: Slurm's warning before the end, and its way to end what it has suspended.
BOOST_AUTO_TEST_CASE(a_warning_asks_to_end_and_being_continued_does_not) {
  StopSignals signals;
  ::kill(::getpid(), SIGUSR1);
  BOOST_TEST(signals.wait(20s).value_or(StopSignal()).number == SIGUSR1);
  ::kill(::getpid(), SIGCONT);
  BOOST_TEST(!signals.wait(1ms));
  ::kill(::getpid(), SIGTERM);
  BOOST_TEST(signals.wait(20s).value_or(StopSignal()).number == SIGTERM);
}

BOOST_AUTO_TEST_CASE(whoever_serves_others_goes_on_after_a_warning) {
  StopSignals signals(EarlyWarning::ignored);
  ::kill(::getpid(), SIGUSR1);
  BOOST_TEST(!signals.wait(20s));
  ::kill(::getpid(), SIGUSR1);
  BOOST_TEST(!signals.take_all());
  ::kill(::getpid(), SIGUSR1);
  ::kill(::getpid(), SIGTERM);
  BOOST_TEST(signals.take_all().value_or(StopSignal()).number == SIGTERM);
}

BOOST_AUTO_TEST_CASE(a_thread_that_was_there_before_does_not_swallow_them) {
  std::promise<void> over;
  std::thread earlier([end = over.get_future()] { end.wait(); });
  {
    StopSignals signals;
    // This thread does not wait yet, so the kernel chooses the other one.
    ::kill(::getpid(), SIGTERM);
    BOOST_TEST(signals.wait(20s).value_or(StopSignal()).number == SIGTERM);
    const pid_t other = ::fork();
    if (other == 0) {
      ::kill(::getppid(), SIGTERM);
      ::_exit(0);
    }
    const auto from_other = signals.wait(20s).value_or(StopSignal());
    BOOST_TEST(from_other.number == SIGTERM);
    BOOST_TEST(from_other.sender == other);
    ::waitpid(other, nullptr, 0);
  }
  over.set_value();
  earlier.join();
}

BOOST_AUTO_TEST_CASE(another_thread_can_end_the_wait) {
  StopSignals signals;
  std::thread other([&] { signals.wake(); });
  BOOST_TEST(!signals.wait());
  other.join();
  // One that nobody waited for does no harm.
  signals.wake();
}

BOOST_AUTO_TEST_CASE(what_has_arrived_is_taken_at_once_and_does_nothing_more) {
  const int status = status_of_child([] {
    StopSignals signals;
    const bool nothing_yet = !signals.take_all();
    signals.wake();
    ::kill(::getpid(), SIGTERM);
    ::kill(::getpid(), SIGINT);
    // The kernel hands them out by number.
    const bool first = signals.take_all().value_or(StopSignal()).number == SIGINT;
    return nothing_yet && first && !signals.take_all();
  });
  BOOST_TEST(status == 0);
}

BOOST_AUTO_TEST_CASE(after_the_last_was_taken_no_signal_ends_the_process) {
  const int status = status_of_child([] {
    bool taken = false;
    {
      StopSignals signals;
      ::kill(::getpid(), SIGTERM);
      taken = signals.take_last().value_or(StopSignal()).number == SIGTERM;
      ::kill(::getpid(), SIGTERM);
    }
    for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) ::raise(signal);
    return taken;
  });
  BOOST_TEST(status == 0);
}

BOOST_AUTO_TEST_CASE(one_that_nobody_waited_for_does_not_end_the_process_later) {
  const int status = status_of_child([] {
    const StopSignals signals;
    ::kill(::getpid(), SIGTERM);
    return true;
  });
  BOOST_TEST(status == 0);
}

BOOST_AUTO_TEST_CASE(afterwards_a_signal_means_what_it_meant_before) {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
    const int status = status_of_child([signal] {
      { const StopSignals signals; }
      ::raise(signal);
      return true;
    });
    BOOST_TEST(WIFSIGNALED(status));
    BOOST_TEST(WTERMSIG(status) == signal);
  }
}

BOOST_AUTO_TEST_SUITE_END()
