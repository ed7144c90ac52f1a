#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/base/ids.hpp"
#include "trainer/data/work_plan.hpp"

namespace slime::trainer {

using GroupId = std::uint64_t;

/// A sealed set of blocks of one iteration. Its membership never changes.
struct Group {
  GroupId id = 0;
  std::uint64_t iteration = 0;
  std::vector<std::uint32_t> blocks;
};

/// To whom the blocks of an iteration belong before they are granted.
enum class Supply : std::uint8_t {
  parts,   ///< Each worker has its part, cut by the shares.
  blocks,  ///< Whoever asks gets one; a group grows until the iteration has none left.
  slices,  ///< Whoever asks gets as many as its share; each such lease is a group.
};

/// What is known of how quick a worker is, in seconds.
struct WorkerPace {
  double block_s = 0;  ///< To compute a block; 0 when nothing is known yet.
  double fetch_s = 0;  ///< Until it can begin what it was granted.
  double noise = 0;    ///< Standard deviation of the logarithm of its times.
};

/// What the ledger asks of its owner at every decision; see `WorkLedger::next`.
struct LedgerRules {
  /// Iterations that a lease to this worker may run ahead of the frontier.
  std::function<std::uint32_t(WorkerId)> slack;
  std::function<WorkerPace(WorkerId)> pace;
  bool reassign = true;  ///< May a worker take unsealed blocks of a slower one?
  /// A block held this many times as long as expected is given twice, and who holds one has no part
  /// of its own that others must leave to it. Where a worker's times scatter so much that this is
  /// nothing unusual, it is three standard deviations instead, but no more than thirty times.
  double overdue_factor = 3;
  bool overdue_by_noise = true;  ///< False: always `overdue_factor`.
  Supply supply = Supply::parts;
  /// May the first take unsealed blocks of the second? Not set: anyone may.
  std::function<bool(WorkerId helper, WorkerId helped)> may_help{};
};

/// What one worker shall do next.
struct Work {
  enum class Kind : std::uint8_t {
    wait,     ///< Nothing to do before something changes.
    compute,  ///< Compute `blocks` of `iteration`; under sealed group `group` unless that is 0.
    seal,     ///< Seal what is unsealed, then ask again.
  };
  Kind kind = Kind::wait;
  std::uint64_t iteration = 0;
  std::vector<std::uint32_t> blocks;
  GroupId group = 0;
  bool last = false;  ///< Nothing is left of the worker's own part of this iteration.
};

/// Who computes which block: the lease protocol as a pure state machine, owned by the coordinator.
///
/// A block is free, held by one worker (by two when overdue), sealed in a group, or done. The
/// *frontier* is the oldest iteration with a block that is not done; a lease of iteration k is
/// granted iff k - frontier <= slack, so finished and dead workers never block anyone. The share
/// vector of an iteration is frozen when its first lease is granted.
///
/// Outside committed modes a worker may hold the blocks of two groups to be: one that it is done
/// with, or nearly so, and the one after it, of another iteration. Each of its leases keeps the
/// rule above, and each of the two is sealed, taken away and freed on its own.
///
/// Invariant: every block of an iteration becomes done exactly once, in exactly one group, whatever
/// workers join, leave, seal or fall silent. Not thread-safe; time is passed in.
///
/// Sources: work_ledger.cpp, and work_ledger_help.cpp for what idle workers take from others.
class WorkLedger {
 public:
  /// @param start        First iteration not yet applied.
  /// @param committed    True: iterations are committed as a whole, so the sealed group of a dead
  ///                     worker is dropped and its blocks computed anew. False: groups are applied
  ///                     on arrival, so such a group is issued again unchanged.
  /// @param first_group  Ids of new groups count from here.
  WorkLedger(const WorkPlan& plan, std::uint64_t start, bool committed, GroupId first_group,
             LedgerRules rules);

  /// Adds a worker; it takes part from the next iteration whose shares are frozen.
  void join(WorkerId worker);
  /// Removes a worker: what it held is free again, what it had sealed is dropped or issued again.
  void leave(WorkerId worker);

  /// Blocks of a full iteration for each worker; used in proportion by iterations frozen from now
  /// on. Workers not named get none; if nobody named is here, all get equal shares.
  void set_shares(std::map<WorkerId, std::uint32_t> shares) { shares_ = std::move(shares); }
  const std::map<WorkerId, std::uint32_t>& shares() const { return shares_; }

  /// No lease of iteration `iteration` or later is granted until this is raised.
  void pause_at(std::uint64_t iteration) { pause_at_ = iteration; }

  /// Whether nothing but this pause keeps `worker` from the iteration at which leases stop.
  bool paused(WorkerId worker) const {
    return pause_at_ < plan_.iterations() && pause_at_ - frontier_ <= rules_.slack(worker);
  }

  /// Decides what `worker` does next and records it. A worker that holds unsealed blocks gets more
  /// of the same iteration until there are none; then it is told to seal, once.
  /// @param ahead  The worker takes a second group before it has sealed the first. Then it gets
  ///               that if it may have one, and otherwise is told to seal; who was told so before
  ///               waits for it. In committed modes nobody gets one.
  Work next(WorkerId worker, Instant now, bool ahead = false);

  /// `worker` asks to seal blocks of `iteration`. Returns the group, or nothing when it does not
  /// hold them all, be it that another worker sealed one first: then all that it holds of this
  /// iteration are free; all that it holds, when it holds none of this iteration.
  std::optional<Group> seal(WorkerId worker, std::uint64_t iteration,
                            const std::vector<std::uint32_t>& blocks);

  /// Every shard has this group. Unknown and completed groups are ignored.
  void complete(GroupId group);

  /// In committed modes: the groups of the frontier iteration, once all its blocks are done.
  std::optional<std::vector<GroupId>> commit_ready() const;
  /// In committed modes: the frontier iteration's commit was decided; the frontier moves on.
  void commit();

  /// After a new coordinator took over: a group some shards have. `everywhere`: all of them, so it
  /// is done; otherwise it is issued again unchanged. Overlapping groups are refused (false).
  bool restore(const Group& group, bool everywhere);

  /// Groups that every shard has, of iterations from the frontier on, and the iteration of each.
  std::map<GroupId, std::uint64_t> completed() const;
  std::uint64_t frontier() const { return frontier_; }
  /// Newest iteration with a granted lease, plus one; the frontier when there is none.
  std::uint64_t started() const { return frontier_ + flights_.size(); }
  const WorkPlan& plan() const { return plan_; }
  const std::map<WorkerId, std::uint64_t>& samples_done() const { return samples_done_; }
  bool knows(WorkerId worker) const { return hands_.contains(worker); }
  /// Whether `worker` has blocks that it has not sealed.
  bool holds(WorkerId worker) const;

 private:
  /// Parts of up to so many blocks are one lease, and no lease has more of another's part.
  static constexpr std::size_t lease_blocks_max = 8;

  enum class State : std::uint8_t { free, held, sealed, done };
  struct Block {
    State state = State::free;
    std::optional<WorkerId> holder;
    std::optional<WorkerId> second;  ///< Given to this worker as well, because it was overdue.
    Instant granted{};
  };
  /// An iteration between its first lease and its last applied block.
  struct Flight {
    std::vector<Block> blocks;
    std::map<WorkerId, std::deque<std::uint32_t>> parts;  ///< Not yet granted, by owner.
    std::set<std::uint32_t> pool;                         ///< Free blocks without an owner.
    std::vector<GroupId> done_groups;
    std::size_t remaining = 0;
  };
  /// Blocks of one iteration that a worker has and did not seal yet: a group to be.
  struct Holding {
    std::uint64_t iteration = 0;
    std::set<std::uint32_t> unsealed;
    Instant granted{};      ///< The newest of them.
    bool complete = false;  ///< No block is added any more; its own part is all granted.
  };
  struct Hand {
    std::uint64_t clock = 0;        ///< Iteration of its next own part.
    std::vector<Holding> holdings;  ///< Of unlike iterations, in the order of their grants.

    const Holding* of(std::uint64_t iteration) const;
  };
  struct SealedGroup {
    Group group;
    std::optional<WorkerId> worker;  ///< None: waits to be issued again.
  };

  Flight& flight(std::uint64_t iteration) { return flights_[iteration - frontier_]; }
  void open_flight(Instant now);
  bool may_start(WorkerId worker, std::uint64_t iteration) const;
  std::uint64_t newest_allowed(WorkerId worker) const;
  Work grant(WorkerId worker, std::uint64_t iteration, std::vector<std::uint32_t> blocks,
             Instant now);
  std::vector<std::uint32_t> take_part(WorkerId worker, Flight& flight);
  std::vector<std::uint32_t> take_pool(WorkerId worker, Flight& flight);
  std::vector<std::uint32_t> take_over(WorkerId worker, Flight& flight, Instant now);
  std::optional<std::uint32_t> take_overdue(WorkerId worker, std::uint64_t iteration, Instant now);
  /// Seconds that all take which `holder` has to compute until it is done with `iteration`.
  double expected_s(WorkerId holder, std::uint64_t iteration) const;
  /// How many times as long as expected is too long for `holder`.
  double overdue_factor(WorkerId holder) const;
  bool is_overdue(WorkerId holder, std::uint64_t iteration, Instant granted, Instant now) const;
  /// Whether something that it holds is overdue: nobody knows when it will begin anything else.
  bool is_late(WorkerId worker, Instant now) const;
  Work more_of_same(WorkerId worker, const Hand& hand, Instant now);
  Work another_group(WorkerId worker, Hand& hand, Instant now);
  Work reissue(WorkerId worker);
  void release(const Holding& holding, WorkerId worker);
  void release(std::uint64_t iteration, std::uint32_t block, WorkerId worker);
  void make_free(std::uint64_t iteration, std::uint32_t block);
  void advance();
  std::size_t held_by(WorkerId worker, const Flight& flight) const;

  WorkPlan plan_;
  bool committed_;
  LedgerRules rules_;
  std::uint64_t frontier_;
  std::uint64_t pause_at_;
  GroupId next_group_;
  std::deque<Flight> flights_;  ///< Iterations frontier_, frontier_ + 1, …
  std::map<WorkerId, Hand> hands_;
  std::map<WorkerId, std::uint32_t> shares_;
  std::map<GroupId, SealedGroup> sealed_;
  std::map<WorkerId, std::uint64_t> samples_done_;
};

}  // namespace slime::trainer
