#include "tools/slime/stop_signals.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <future>
#include <thread>

using namespace slime;
using namespace slime::tools;
using namespace std::chrono_literals;

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

BOOST_AUTO_TEST_CASE(afterwards_a_signal_means_what_it_meant_before) {
  const pid_t child = ::fork();
  if (child == 0) {
    { const StopSignals signals; }
    ::raise(SIGTERM);
    ::_exit(0);
  }
  int status = 0;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
  BOOST_TEST(WIFSIGNALED(status));
  BOOST_TEST(WTERMSIG(status) == SIGTERM);
}

BOOST_AUTO_TEST_SUITE_END()
