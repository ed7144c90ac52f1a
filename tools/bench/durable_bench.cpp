#include "tools/bench/durable_bench.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "actors/system/cluster_node.hpp"
#include "actors/system/head_store.hpp"
#include "runtime/actor/durable_actor.hpp"
#include "runtime/base/random.hpp"
#include "tools/bench/comparison.hpp"
#include "tools/bench/tally.capnp.h"

namespace slime::bench {

namespace {

namespace fs = std::filesystem;
using runtime::Message;

using TallyProtocol = runtime::Protocol<runtime::Ask<schema::Mark, schema::Tally>>;
using TallyRef = runtime::Ref<TallyProtocol>;

constexpr std::size_t state_bytes = 1024;

/// Counts, and keeps a state of `state_bytes`.
class TallyActor final : public runtime::DurableActor<TallyProtocol, schema::Tally> {
 public:
  TallyActor(runtime::Host& host, const Message<schema::TallySpec>& spec)
      : DurableActor(host, {.name = "tally"}),
        fill_(spec.read([](schema::TallySpec::Reader root) { return root.getFillBytes(); })) {
    on(&TallyActor::mark);
  }

 private:
  Message<schema::Tally> tally(std::uint32_t fill) const {
    return Message<schema::Tally>::make([&](schema::Tally::Builder root) {
      root.setCount(count_);
      root.initFill(fill);
    });
  }
  Message<schema::Tally> state() const override { return tally(fill_); }
  void on_restore(const Message<schema::Tally>& kept) override {
    count_ = kept.read([](schema::Tally::Reader root) { return root.getCount(); });
  }
  Result<Message<schema::Tally>> mark(const Message<schema::Mark>&, const runtime::CallId&) {
    ++count_;
    return tally(0);
  }

  std::uint32_t fill_;
  std::uint64_t count_ = 0;
};

template <class T>
T checked(Result<T> result) {
  if (!result) throw std::runtime_error(to_string(result.error()));
  return std::move(*result);
}

actors::ClusterSettings settings_of(const std::string& name) {
  actors::ClusterSettings settings;
  settings.node.link.self.name = name;
  settings.node.link.cluster_id = "bench";
  settings.node.link.token = "bench";
  settings.node.link.listen = {runtime::Endpoint{"tcp:127.0.0.1:0"}};
  settings.roles = {name};
  return settings;
}

/// A head that keeps its state on disk, and a node with the actor.
class Cluster {
 public:
  explicit Cluster(const fs::path& folder)
      : store_(checked(actors::HeadStore::open(folder, random_node_id(), wall_clock_us()))) {
    auto settings = settings_of("head");
    settings.store = store_.get();
    head_ = checked(actors::ClusterNode::start_head(std::move(settings), {}));
    node_ = checked(
        actors::ClusterNode::join(settings_of("node"), head_->node().endpoints().front(),
                                  {runtime::actor_type<TallyActor, schema::TallySpec>("tally")}));
    const auto spec = Message<schema::TallySpec>::make(
        [](schema::TallySpec::Builder root) { root.setFillBytes(state_bytes); });
    tally_.address = checked(node_->node().spawn("tally", spec.any()));
  }

  /// Calls a second, of that many callers that each wait for their answer.
  double calls(std::size_t callers, double seconds) {
    std::atomic<std::uint64_t> done = 0;
    std::atomic<bool> failed = false;
    const Instant start = monotonic_now(), end = start + from_seconds(seconds);
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < callers; ++i)
        threads.emplace_back(
            [&, numbers = runtime::CallNumbers(fmt::format("{}", ++callers_))]() mutable {
              do {
                const auto call = runtime::once(numbers.next(), Message<schema::Mark>::make());
                if (!head_->node().call(runtime::once<schema::Mark>(tally_), call,
                                        std::chrono::seconds(30)))
                  failed = true;
                ++done;
              } while (monotonic_now() < end && !failed);
            });
    }
    if (failed) throw std::runtime_error("a call was not answered");
    return static_cast<double>(done) / to_seconds(monotonic_now() - start);
  }

 private:
  std::unique_ptr<actors::HeadStore> store_;
  std::unique_ptr<actors::ClusterNode> head_, node_;
  TallyRef tally_;
  std::uint64_t callers_ = 0;
};

/// Writes a second of as many bytes as a state has, each with an fsync.
double plain_writes(const fs::path& path, double seconds) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const std::string bytes(state_bytes, 'x');
  const Instant start = monotonic_now(), end = start + from_seconds(seconds);
  std::uint64_t done = 0;
  bool written = file >= 0;
  do {
    written = written && ::write(file, bytes.data(), bytes.size()) == ssize_t{state_bytes} &&
              ::fdatasync(file) == 0;
    ++done;
  } while (monotonic_now() < end && written);
  const int why = errno;
  if (file >= 0) ::close(file);
  if (!written) throw std::runtime_error("writing " + path.string() + ": " + std::strerror(why));
  return static_cast<double>(done) / to_seconds(monotonic_now() - start);
}

}  // namespace

int run_durable(const Options& options) {
  constexpr std::array callers{1, 8, 64};
  const auto name_of = [](int count) {
    return fmt::format("{} caller{}, calls/s", count, count == 1 ? "" : "s");
  };
  std::vector<int> wanted;
  for (const int count : callers)
    if (name_of(count).find(options.only) != std::string::npos) wanted.push_back(count);
  if (wanted.empty()) {
    std::cerr << "slime-bench durable: no case has \"" << options.only
              << "\" in its name; without --only all are run and named\n";
    return 4;
  }
  const double seconds = options.quick ? 0.1 : 2;
  const fs::path folder = fs::temp_directory_path() / fmt::format("slime-bench-{}", ::getpid());
  const std::size_t runs = repetitions(options, 5);
  fs::create_directories(folder);
  std::cout << fmt::format(
      "a state of {} bytes in {}; medians of {} [min max]; xN: calls against plain writes with "
      "fsync in each\n",
      state_bytes, folder.string(), runs);
  std::vector<Comparison> rows;
  try {
    Cluster cluster(folder / "state");
    for (const int count : wanted) {
      Values ours, theirs;
      for (std::size_t i = 0; i < runs; ++i) {
        ours.push_back(cluster.calls(static_cast<std::size_t>(count), seconds));
        theirs.push_back(plain_writes(folder / "plain", seconds));
      }
      rows.push_back(compare(name_of(count), true, ours, "write and fsync, /s", theirs));
      std::cout << fmt::format("{:<22} {:>28} | plain {:>28} | x{}\n", rows.back().name,
                               text_of(ours), text_of(theirs), text_of(rows.back().ratios))
                << std::flush;
    }
  } catch (...) {
    fs::remove_all(folder);
    throw;
  }
  fs::remove_all(folder);
  if (options.json) std::cout << json_of("durable", rows) << std::endl;
  return 0;
}

}  // namespace slime::bench
