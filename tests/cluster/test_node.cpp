// One process of a test cluster, with probes to spawn:
//     slime_test_node NAME ENDPOINT ROLE [HEAD] [state=DIR] [wait]
// A head keeps its state in DIR; with `wait` a member waits for its head's next process.
// It prints "ready ENDPOINT" once it is a member, and why it ends. Exit: 0 after SIGTERM, 1 could
// not start, 3 ended by the cluster.
#include <sys/prctl.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "actors/system/cluster_node.hpp"
#include "actors/system/head_store.hpp"
#include "runtime/base/random.hpp"
#include "tests/cluster/probe.hpp"
#include "tests/cluster/test_settings.hpp"
#include "tests/support/counter.hpp"

using namespace slime;

namespace {

int fail(const Error& why) {
  std::fprintf(stderr, "failed: %s\n", to_string(why).c_str());
  return 1;
}

}  // namespace

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
  std::string head;
  std::unique_ptr<actors::HeadStore> store;
  for (const std::string_view word : std::span(argv, static_cast<std::size_t>(argc)).subspan(4)) {
    if (word == "wait") {
      settings.head_wait = std::chrono::minutes(1);
    } else if (word.starts_with("state=")) {
      auto opened = actors::HeadStore::open(word.substr(6), random_node_id(), wall_clock_us());
      if (!opened) return fail(opened.error());
      store = std::move(*opened);
      settings.store = store.get();
    } else {
      head = word;
    }
  }
  const runtime::Catalogue catalogue{tests::Probe::type(), tests::Probe::blocking_type(),
                                     tests::Counter::type()};
  auto node = head.empty()
                  ? actors::ClusterNode::start_head(settings, catalogue)
                  : actors::ClusterNode::join(settings, runtime::Endpoint{head}, catalogue);
  if (!node) return fail(node.error());
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
