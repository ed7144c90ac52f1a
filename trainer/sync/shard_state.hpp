#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/error.hpp"
#include "trainer/data/work_plan.hpp"
#include "trainer/optim/optimizer.hpp"
#include "trainer/optim/parameter_range.hpp"
#include "trainer/sync/block_changes.hpp"
#include "trainer/sync/sync_mode.hpp"
#include "trainer/sync/work_ledger.hpp"

namespace slime::trainer {

/// A group's gradient as it arrives: sums over its samples. Exactly one of `floats` and `fixed` is
/// used, as the job's reduction says; it is as long as the shard's range.
struct GroupGradient {
  Group group;
  std::uint64_t version = 0;  ///< Of the parameters it was computed at.
  std::uint32_t samples = 0;
  double learning_rate = 0;  ///< Of its iteration; > 0.
  std::span<const float> floats;
  std::span<const std::int64_t> fixed;  ///< In units of 2^-scale_bits.
  std::shared_ptr<const void> owner;    ///< Keeps the spans' memory alive.
};

/// What a shard is made from; all but the range is equal on all shards of the job.
struct ShardRules {
  WorkPlan plan;
  std::shared_ptr<const Optimizer> optimizer;
  std::shared_ptr<const SyncMode> mode;
  bool damping = true;        ///< Outside committed modes, damp late gradients.
  bool reproducible = false;  ///< Gradients come in fixed point.
};

/// One range of the parameters with its optimizer slots, and the rules by which gradients enter it.
///
/// In committed modes a group is staged until `commit` names it; otherwise it is applied on
/// arrival. Either way a group enters at most once, and so does each block of each iteration: that
/// is checked here as well as by the ledger, on the other side of the link. Not thread-safe; no
/// call blocks.
class ShardState {
 public:
  /// @param values   Parameters of the range at `version`.
  /// @param slots    One per slot of the optimizer, each as long as `values`.
  ShardState(ShardRules rules, ParameterRange range, std::uint64_t version,
             std::vector<float> values, std::vector<std::vector<float>> slots);

  /// Every sample of the iterations before it is in, and in committed modes nothing else.
  std::uint64_t version() const { return version_; }
  const ParameterRange& range() const { return range_; }
  std::span<const float> values() const { return values_; }
  const std::vector<std::vector<float>>& slots() const { return slots_; }

  enum class Taken : std::uint8_t { now, already };
  /// Stages or applies a gradient. Errors: invalid_argument (wrong sizes, unknown blocks, a block
  /// that is in already), diverged (a value is not finite); the state is then unchanged.
  Result<Taken> push(GroupGradient gradient);

  /// Applies the staged groups as iteration `iteration`, summed in the order of their first blocks,
  /// and drops every other stage. Committing what is committed already is fine. Errors:
  /// invalid_argument (another iteration's turn, a group that is not staged, not a partition).
  Status commit(std::uint64_t iteration, const std::vector<GroupId>& groups);

  /// Takes over what another shard of the same range had at this version beside its values. Errors:
  /// invalid_argument (groups that do not fit, or any in a committed mode); then it is of no use.
  /// Precondition: nothing was pushed yet.
  Status take_over(const std::vector<Group>& applied, std::vector<GroupId> last_commit);

  /// Whether there is any staged group.
  bool staging() const { return !staged_.empty(); }
  /// Names the present values and slots, and which blocks of `parameter_block` are still, bit for
  /// bit, as they were at a moment that was named.
  std::uint64_t mark() { return changes_.mark(); }
  std::vector<bool> unchanged_since(std::uint64_t mark) const {
    return changes_.unchanged_since(mark);
  }

  /// Groups staged, or applied to iterations that are not full yet.
  std::vector<Group> groups() const;
  /// In committed modes: the groups of iteration `version() - 1`, if it was committed here.
  const std::vector<GroupId>& last_commit() const { return last_commit_; }

 private:
  /// What has been applied of an iteration that is not full.
  struct Partial {
    std::vector<bool> blocks;
    std::map<GroupId, Group> groups;
    std::uint32_t remaining = 0;
  };

  Error refused(const GroupGradient& gradient, const std::string& why) const;
  Partial& partial(std::uint64_t iteration);
  static void enter(Partial& partial, const Group& group);
  Status check(const GroupGradient& gradient) const;
  Result<Taken> apply_now(GroupGradient gradient);
  void apply(const Step& step, const std::vector<const GroupGradient*>& gradients);
  void apply_to_block(const Step& step, const std::vector<const GroupGradient*>& gradients,
                      std::size_t from, std::span<float> values,
                      std::span<const std::span<float>> slots);

  ShardRules rules_;
  ParameterRange range_;
  std::uint64_t version_;
  std::vector<float> values_;
  std::vector<std::vector<float>> slots_;
  BlockChanges changes_;
  std::map<GroupId, GroupGradient> staged_;
  std::map<std::uint64_t, Partial> partial_;
  std::vector<GroupId> last_commit_;
};

}  // namespace slime::trainer
