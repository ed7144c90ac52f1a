#include "tools/slime/chaos/durable_cluster.hpp"

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <thread>

#include "tests/cluster/slime_process.hpp"
#include "tests/support/build_places.hpp"
#include "tools/slime/chaos/run_processes.hpp"

using namespace slime;
using namespace slime::tests;
using namespace slime::tools;
using namespace std::chrono_literals;

namespace durable_cluster_test {

constexpr Duration patience = 30s;

struct Kept : TempDir {
  Kept() {
    for (const char* name : {"work", "private"}) std::filesystem::create_directories(path() / name);
    cluster = DurableCluster::start({.program = SLIME_BINARY_DIR "/bin/slime",
                                     .folder = path() / "work",
                                     .private_folder = path() / "private",
                                     .workers = 1,
                                     .shards = 1})
                  .value();
  }
  /// Who is there once `fits`.
  template <class Fits>
  RunProcesses once(Fits fits) const {
    RunProcesses running;
    const Instant deadline = monotonic_now() + patience;
    do {
      take_session(cluster->session(), running);
      if (running.head && running.nodes.size() == 2 && fits(running)) return running;
      std::this_thread::sleep_for(20ms);
    } while (monotonic_now() < deadline);
    BOOST_FAIL("they are not there");
    return running;
  }

  std::unique_ptr<DurableCluster> cluster;
};

}  // namespace durable_cluster_test

BOOST_FIXTURE_TEST_SUITE(durable_cluster_test, durable_cluster_test::Kept)

BOOST_AUTO_TEST_CASE(whoever_is_killed_is_started_again_and_the_others_stay) {
  BOOST_TEST(cluster->size() == 3U);
  const auto before = once([](const RunProcesses&) { return true; });
  BOOST_REQUIRE(bool(send_signal(before.head->process, SIGKILL)));
  const auto after = once(
      [&](const RunProcesses& running) { return running.head->process != before.head->process; });
  BOOST_TEST((after.nodes[0].process == before.nodes[0].process));
  BOOST_TEST((after.nodes[1].process == before.nodes[1].process));
  BOOST_REQUIRE(bool(send_signal(after.nodes[1].process, SIGKILL)));
  const auto last = once([&](const RunProcesses& running) {
    return running.nodes[1].process != after.nodes[1].process;
  });
  BOOST_TEST(last.nodes[1].name == "worker-0");
  BOOST_TEST((last.head->process == after.head->process));
  cluster->stop(10s);
  BOOST_TEST(none_left(path().string(), 5s));
}

BOOST_AUTO_TEST_SUITE_END()
