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
  BOOST_TEST(signals.wait().value_or(0) == SIGTERM);
  ::kill(::getpid(), SIGINT);
  BOOST_TEST(signals.wait(20s).value_or(0) == SIGINT);
  BOOST_TEST(!signals.wait(1ms));
}

BOOST_AUTO_TEST_CASE(a_thread_that_was_there_before_does_not_swallow_them) {
  std::promise<void> over;
  std::thread earlier([end = over.get_future()] { end.wait(); });
  {
    StopSignals signals;
    // This thread does not wait yet, so the kernel chooses the other one.
    ::kill(::getpid(), SIGTERM);
    BOOST_TEST(signals.wait(20s).value_or(0) == SIGTERM);
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
