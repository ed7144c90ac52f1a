#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/simulation/delivery.hpp"
#include "schemas/training.capnp.h"
#include "trainer/data/work_plan.hpp"

namespace slime::tools {

/// Watches the messages of a simulated job for what may never happen to updates, whoever dies: a
/// lease beyond its bound; an iteration committed of groups that do not hold each of its blocks
/// once; two groups with one block of which a shard says that it has both. A shard with a standby
/// will be watched here, too: what it acknowledged the standby must have been sent before.
/// Owned by the run, which calls `see` before each delivery.
class UpdateWatch {
 public:
  /// @param committed  The mode commits iterations as a whole.
  /// @param lead_max   Iterations that a lease may be ahead of the oldest one not all applied.
  UpdateWatch(const trainer::WorkPlan& plan, bool committed, std::uint64_t lead_max)
      : plan_(plan), committed_(committed), lead_max_(lead_max) {}

  void see(const runtime::Delivery& delivery);

  /// The first thing that may never happen and did.
  const std::optional<std::string>& violation() const { return violation_; }
  /// Pushes that a shard said to have taken, repetitions included.
  std::uint64_t acknowledged() const { return acknowledged_; }

 private:
  using Blocks = std::vector<std::uint32_t>;
  using Line = std::pair<ActorAddress, ActorAddress>;  ///< From a worker to a shard.
  struct Group {
    std::uint64_t id = 0;
    std::uint64_t iteration = 0;
    Blocks blocks;
  };

  void begun(schema::Begin::Reader begin);
  void granted(schema::Grant::Reader grant);
  void pushed(schema::Push::Reader push, const Line& line);
  void acknowledged(const Line& line);
  void committing(schema::Commit::Reader commit, const ActorAddress& shard);
  void arrived(const Group& group, const ActorAddress& shard);
  void violated(std::string what);

  trainer::WorkPlan plan_;
  bool committed_;
  std::uint64_t lead_max_;
  std::size_t shards_ = std::numeric_limits<std::size_t>::max();  ///< That hold the job now.
  std::map<Line, Group> under_way_;                               ///< What was last pushed over it.
  /// What each shard was pushed, by the group's id.
  std::map<std::pair<ActorAddress, std::uint64_t>, Group> known_;
  /// The group in which a shard has a block of an iteration.
  std::map<std::pair<ActorAddress, std::uint64_t>, std::map<std::uint32_t, std::uint64_t>> held_;
  /// Shards that each block has come to, of iterations from the frontier on.
  std::map<std::uint64_t, std::map<std::uint32_t, std::set<ActorAddress>>> reached_;
  std::uint64_t frontier_ = 0;  ///< Never less than what any coordinator knows.
  std::uint64_t acknowledged_ = 0;
  std::optional<std::string> violation_;
};

}  // namespace slime::tools
