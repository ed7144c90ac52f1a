#include "tools/slime/local_cluster.hpp"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <condition_variable>
#include <csignal>
#include <mutex>

#include "tests/support/temp_dir.hpp"
#include "tools/slime/process_identity.hpp"

using namespace slime;
using namespace slime::tools;
using namespace std::chrono_literals;

namespace local_cluster_test {

/// Starts shells as children and collects what is told about their ends.
struct Shells : tests::TempDir {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<ChildEvent> events;
  runtime::RestartLimits restart{.restarts_max = 0};
  std::uint64_t log_bytes_max = 1 << 20;

  Result<std::unique_ptr<LocalCluster>> start(const std::vector<std::string>& scripts) {
    std::vector<ChildSpec> specs;
    for (const std::string& script : scripts)
      specs.push_back(
          {"worker-" + std::to_string(specs.size()), {"/bin/sh", "-c", script, "sh"}, "token"});
    return LocalCluster::start(std::move(specs),
                               {path(), log_bytes_max, restart, [this](const ChildEvent& event) {
                                  const std::lock_guard lock(mutex);
                                  events.push_back(event);
                                  changed.notify_all();
                                }});
  }

  void wait_for_events(std::size_t count) {
    std::unique_lock lock(mutex);
    BOOST_REQUIRE(changed.wait_for(lock, 30s, [&] { return events.size() >= count; }));
  }
  void wait_for_log(const std::string& name, const std::string& text) {
    for (int i = 0; i < 3000 && read(name).find(text) == std::string::npos; ++i)
      ::poll(nullptr, 0, 10);
    BOOST_REQUIRE(read(name).find(text) != std::string::npos);
  }
};

std::vector<ProcessIdentity> identities(const LocalCluster& cluster) {
  std::vector<ProcessIdentity> processes;
  for (const ChildState& child : cluster.children())
    processes.push_back(identify(child.pid).value());
  return processes;
}

}  // namespace local_cluster_test

BOOST_FIXTURE_TEST_SUITE(local_cluster_test, Shells)

BOOST_AUTO_TEST_CASE(seven_children_start_at_once_and_all_end_in_time) {
  const auto cluster = start(std::vector<std::string>(7, "exec sleep 600")).value();
  const auto processes = identities(*cluster);
  BOOST_TEST(processes.size() == 7u);
  const Instant begin = monotonic_now();
  BOOST_TEST(cluster->stop(20s).empty());
  BOOST_TEST(to_seconds(monotonic_now() - begin) < 10);
  for (const ProcessIdentity& process : processes) BOOST_TEST(!is_running(process));
  BOOST_TEST(events.size() == 7u);
  for (const ChildEvent& event : events) {
    BOOST_TEST((event.exit.by_signal && event.exit.number == SIGTERM));
    BOOST_TEST(!event.restart_in);
  }
}

BOOST_AUTO_TEST_CASE(a_child_that_ignores_sigterm_is_killed_after_the_grace) {
  const auto cluster =
      start({"trap '' TERM; echo deaf; while :; do sleep 1; done", "exec sleep 600"}).value();
  wait_for_log("worker-0.log", "deaf");
  const auto killed = cluster->stop(200ms);
  BOOST_TEST(killed.size() == 1u);
  BOOST_TEST(killed.front() == "worker-0");
  BOOST_TEST(cluster->stop(1s).empty());
}

BOOST_AUTO_TEST_CASE(a_child_that_fails_is_started_again_up_to_the_limit) {
  restart = {.restarts_max = 2, .window = 60s, .backoff = 10ms, .backoff_max = 20ms};
  const auto cluster = start({"echo attempt; exit 3"}).value();
  wait_for_events(3);
  BOOST_TEST((events[0].restart_in == Duration(10ms)));
  BOOST_TEST((events[1].restart_in == Duration(20ms)));
  BOOST_TEST(!events[2].restart_in);
  BOOST_TEST(to_string(events[2]).find("ended by exit code 3 after") != std::string::npos);
  BOOST_TEST(to_string(events[0]).ends_with("; restart in 0.0 s"));
  cluster->stop(1s);
  BOOST_TEST(read("worker-0.log") == "attempt\nattempt\nattempt\n");
}

BOOST_AUTO_TEST_CASE(an_end_that_would_repeat_itself_is_not_repeated) {
  restart = {.restarts_max = 5, .window = 60s, .backoff = 1ms, .backoff_max = 1ms};
  const auto cluster = start({"exit 0", "exit 2", "exit 10", "exit 11"}).value();
  wait_for_events(4);
  for (const ChildEvent& event : events) BOOST_TEST(!event.restart_in);
}

BOOST_AUTO_TEST_CASE(a_killed_child_is_told_by_signal_and_replaced) {
  restart = {.restarts_max = 3, .window = 60s, .backoff = 1ms, .backoff_max = 1ms};
  const auto cluster = start({"exec sleep 600"}).value();
  const pid_t first = cluster->children().front().pid;
  ::kill(first, SIGKILL);
  wait_for_events(1);
  BOOST_TEST(to_string(events[0]).find("signal 9") != std::string::npos);
  for (int i = 0; i < 3000 && cluster->children().front().pid == 0; ++i) ::poll(nullptr, 0, 10);
  const ChildState second = cluster->children().front();
  BOOST_TEST(second.pid != 0);
  BOOST_TEST(second.pid != first);
  BOOST_TEST(second.restarts == 1u);
}

BOOST_AUTO_TEST_CASE(when_one_cannot_start_nothing_is_left_running) {
  std::vector<ChildSpec> specs{{"good", {"/bin/sleep", "600"}, ""}, {"bad", {"/no/such"}, ""}};
  const auto cluster = LocalCluster::start(specs, {path(), 1 << 20, restart, {}});
  BOOST_TEST(!cluster);
  BOOST_TEST(cluster.error().context == "starting bad (/no/such): No such file or directory");
  specs[1] = specs[0];
  BOOST_TEST((LocalCluster::start(specs, {path(), 1 << 20, restart, {}}).error().code ==
              Errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_chatty_child_neither_blocks_nor_fills_the_disk) {
  log_bytes_max = 100'000;
  const auto cluster =
      start({"i=0; while [ $i -lt 30000 ]; do echo 0123456789012345678901234567890 $i; "
             "i=$((i+1)); done; echo the end"})
          .value();
  wait_for_events(1);
  cluster->stop(1s);
  BOOST_TEST(read("worker-0.log").ends_with("the end\n"));
  BOOST_TEST(read("worker-0.log").size() + read("worker-0.log.1").size() <= 100'000u);
}

// Goal: whatever kills the launcher, its children go with it.
// Method: a process in between starts two children, reports their pids and is killed.
BOOST_AUTO_TEST_CASE(children_die_with_a_launcher_that_is_killed) {
  int ends[2];
  BOOST_REQUIRE(::pipe(ends) == 0);
  const pid_t launcher = ::fork();
  if (launcher == 0) {
    const auto cluster = start({"exec sleep 600", "trap '' TERM HUP; while :; do sleep 1; done"});
    pid_t pids[2] = {};
    if (cluster)
      for (int i = 0; i < 2; ++i) pids[i] = cluster.value()->children()[std::size_t(i)].pid;
    if (::write(ends[1], pids, sizeof pids) != sizeof pids) ::_exit(1);
    for (;;) ::pause();
  }
  pid_t pids[2] = {};
  BOOST_REQUIRE(::read(ends[0], pids, sizeof pids) == sizeof pids);
  ::close(ends[0]);
  ::close(ends[1]);
  std::vector<ProcessIdentity> processes;
  for (const pid_t pid : pids) processes.push_back(identify(pid).value());
  ::kill(launcher, SIGKILL);
  ::waitpid(launcher, nullptr, 0);
  const auto gone = [&] { return std::none_of(processes.begin(), processes.end(), is_running); };
  for (int i = 0; i < 1000 && !gone(); ++i) ::poll(nullptr, 0, 10);
  BOOST_TEST(gone());
}

BOOST_AUTO_TEST_SUITE_END()
