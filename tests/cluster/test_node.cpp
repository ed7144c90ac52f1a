// One process of a test cluster, with probes to spawn:
//     slime_test_node NAME ENDPOINT ROLE [HEAD]
// It prints "ready ENDPOINT" once it is a member, and why it ends. Exit: 0 after SIGTERM, 1 could
// not start, 3 ended by the cluster.
#include <sys/prctl.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <string>

#include "actors/system/cluster_node.hpp"
#include "tests/cluster/probe.hpp"
#include "tests/cluster/test_settings.hpp"

using namespace slime;

int main(int argc, char** argv) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (argc < 4) return 2;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  std::atomic<bool> ended = false;
  auto settings = tests::cluster_settings(argv[1], argv[2], argv[3]);
  settings.on_end = [&ended, self = pthread_self()](const Error&) {
    ended = true;
    pthread_kill(self, SIGUSR1);
  };
  const runtime::Catalogue catalogue{tests::Probe::type(), tests::Probe::blocking_type()};
  auto node = argc > 4 ? actors::ClusterNode::join(settings, runtime::Endpoint{argv[4]}, catalogue)
                       : actors::ClusterNode::start_head(settings, catalogue);
  if (!node) {
    std::fprintf(stderr, "failed: %s\n", to_string(node.error()).c_str());
    return 1;
  }
  std::printf("ready %s\n", (*node)->node().endpoints().front().text.c_str());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  if (ended) {
    static_cast<void>((*node)->stop());
    return 3;
  }
  static_cast<void>((*node)->leave("asked to end"));
  return 0;
}
