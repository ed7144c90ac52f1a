#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/slime/chaos/simulated/failing_disk.hpp"
#include "tools/slime/simulation/supervised_cluster.hpp"

namespace slime::tools {

/// A simulated cluster and what can be done to it. Whoever supervises a real one is played: a
/// process that ended is started again after a while, and so is one that finds, when it wakes or
/// is reached again, that the others have declared it dead. Confined to one thread; nothing blocks.
class Stage {
 public:
  /// Nobody hears of a death or a silence before this has passed.
  static constexpr Duration detection = std::chrono::seconds(1);
  /// Position of the head where places are named by position.
  static constexpr std::size_t head = ~std::size_t{0};

  /// Starts a node for each worker and shard. `disk` must outlive it.
  Stage(std::uint64_t seed, runtime::Catalogue catalogue, std::uint32_t workers,
        std::uint32_t shards, FailingDisk& disk);

  SupervisedCluster& cluster() { return cluster_; }
  runtime::Simulation& simulation() { return cluster_.simulation(); }

  /// Nodes beside the head: workers' first, then shards', then who joined later.
  std::size_t places() const { return places_.size(); }

  // Each returns whether there was anybody to do it to.

  /// Ends a process as by SIGKILL; the next one starts after `away`.
  bool kill(std::size_t place, Duration away);
  /// Stops a process as by SIGSTOP, and wakes it after `hold`.
  bool stop(std::size_t place, Duration hold);
  /// Cuts these nodes off from all others, but not from each other, for `hold`. Never the head.
  bool isolate(const std::vector<std::size_t>& cut, Duration hold);
  /// Cuts one link, for less than `detection`.
  bool part(std::size_t left, std::size_t right, Duration hold);
  /// Loses this share of the messages between nodes for `hold`.
  bool lose(double share, Duration hold);
  /// A node says goodbye and ends; another one of a new name comes after `away`.
  bool leave(std::size_t place, Duration away);
  /// Another node joins.
  bool join(std::string_view role);
  /// The disk of a node is full for `hold`.
  bool fill(std::size_t place, Duration hold);
  /// Has that happen to whom a message of one of `types` is about, the `count`th from now on.
  bool trap(std::vector<std::uint64_t> types, std::uint64_t count, runtime::Verdict verdict);
  /// Everything ends at once: nobody may use this object any more but to read what was kept.
  bool end() { return ended_ = true; }
  bool ended() const { return ended_; }

  /// Does `what` after `delay`.
  void after(Duration delay, std::function<void()> what);
  /// Lets time pass, and what is due happen.
  void run_until(Instant until);

 private:
  struct Place {
    std::string name;
    std::string role;
    NodeId node;
  };
  struct Trap {
    std::vector<std::uint64_t> types;
    std::uint64_t left;
    runtime::Verdict verdict;
  };

  NodeId node_at(std::size_t place) const {
    return place == head ? cluster_.head() : places_[place].node;
  }
  bool alive(std::size_t place) { return simulation().alive(node_at(place)); }
  void add(std::string name, std::string_view role);
  /// Starts the next process of a place whose process has ended.
  void start_again(std::size_t place);
  /// Ends and replaces `node`, if it still has the place and was declared dead.
  void replace_if_lost(std::size_t place, NodeId node);
  void restart_head(Duration away);
  void tend();
  runtime::Verdict meet(const runtime::Delivery& delivery);

  FailingDisk& disk_;
  SupervisedCluster cluster_;
  std::vector<Place> places_;
  std::map<std::string, std::uint32_t, std::less<>> named_;  ///< Nodes of each role so far.
  std::multimap<Instant, std::function<void()>> due_;
  std::vector<Trap> traps_;
  std::multiset<NodeId> held_;  ///< Stopped or cut off, for each time once.
  bool head_comes_back_ = false;
  int losing_ = 0;
  bool ended_ = false;
};

}  // namespace slime::tools
