#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/simulation/delivery.hpp"
#include "schemas/balancing.capnp.h"
#include "schemas/training.capnp.h"
#include "trainer/data/work_plan.hpp"

namespace slime::tools {

/// What a simulated run did, told from the messages that pass by, so that the actors are those of
/// real runs. It also watches what may never happen. Owned by the run, which calls `see` before
/// each delivery; nothing here blocks.
class Onlooker {
 public:
  /// @param lead_max  Iterations that a lease may be ahead of the oldest one not all applied.
  Onlooker(const trainer::WorkPlan& plan, std::uint64_t lead_max)
      : plan_(plan), lead_max_(lead_max) {}

  void see(const runtime::Delivery& delivery);

  /// When the first lease came; nothing before.
  const std::optional<Instant>& started() const { return started_; }
  /// Every sample of every iteration is applied.
  bool finished() const { return finished_s_.size() == plan_.iterations(); }
  /// A worker was told that the job is over.
  bool ended() const { return ended_; }

  /// When each iteration and all before it were all applied, in seconds since the first lease.
  const std::vector<double>& finished_s() const { return finished_s_; }
  /// Seconds of computing in what was sealed, of all workers together.
  double busy_s() const { return busy_s_; }
  /// How often shares changed, and by how many samples an iteration in sum.
  std::uint64_t share_changes() const { return share_changes_; }
  std::uint64_t samples_moved() const { return samples_moved_; }
  /// The longest lead that a lease had.
  std::uint64_t lead() const { return lead_; }
  /// Where the worker was when it last asked for work.
  std::optional<NodeId> machine_of(std::uint32_t worker) const;
  /// The first thing that may never happen and did.
  const std::optional<std::string>& violation() const { return violation_; }

 private:
  struct Group {
    std::uint64_t iteration = 0;
    std::vector<std::uint32_t> blocks;
  };
  struct Iteration {
    std::vector<bool> applied;  ///< By block.
    std::uint32_t left = 0;
  };

  /// What a worker asked to seal last.
  struct Sealing {
    std::uint64_t sequence = 0;
    double compute_s = 0;
  };
  using Parting = std::pair<ActorAddress, ActorAddress>;  ///< Who ended, and who heard of it.

  void granted(schema::Grant::Reader grant, Instant now);
  std::uint64_t frontier_at(Duration run_time, Instant now);
  void sealed(std::uint64_t group, const ActorAddress& worker);
  void completed(schema::Complete::Reader complete, const runtime::Delivery& delivery);
  void shared(schema::Shares::Reader shares);
  void apply(const Group& group, Instant now);

  trainer::WorkPlan plan_;
  std::uint64_t lead_max_;
  std::optional<Instant> started_;
  Instant run_began_ = Instant::max();  ///< By the coordinator's clock; not before it was.
  bool ended_ = false;
  std::vector<double> finished_s_;
  double busy_s_ = 0;
  std::uint64_t share_changes_ = 0, samples_moved_ = 0, lead_ = 0;
  std::optional<std::string> violation_;
  std::unordered_map<std::uint64_t, Group> pushed_;  ///< By id; not complete.
  std::map<std::uint64_t, Iteration> open_;
  std::unordered_map<std::uint32_t, NodeId> machines_;
  std::unordered_map<ActorAddress, Sealing> sealing_;
  std::unordered_set<std::uint64_t> sealed_, completed_;  ///< By id.
  std::set<Parting> partings_;
  std::unordered_map<std::uint32_t, std::uint32_t> shares_;
};

}  // namespace slime::tools
