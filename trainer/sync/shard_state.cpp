#include "trainer/sync/shard_state.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "trainer/compute/fixed_point_sum.hpp"
#include "trainer/compute/sums.hpp"
#include "trainer/sync/damping.hpp"

namespace slime::trainer {

namespace {

constexpr double fixed_point_unit =
    1.0 / static_cast<double>(std::uint64_t{1} << FixedPointSum::default_scale_bits);

}  // namespace

ShardState::ShardState(ShardRules rules, ParameterRange range, std::uint64_t version,
                       std::vector<float> values, std::vector<std::vector<float>> slots)
    : rules_(std::move(rules)),
      range_(range),
      version_(version),
      values_(std::move(values)),
      slots_(std::move(slots)),
      changes_(range.count) {
  assert(values_.size() == range_.count);
  assert(slots_.size() == rules_.optimizer->slots());
}

Error ShardState::refused(const GroupGradient& gradient, const std::string& why) const {
  const Group& group = gradient.group;
  return Error{Errc::invalid_argument, "refusing the gradient of " +
                                           rules_.plan.describe(group.iteration, group.blocks) +
                                           ": " + why};
}

Status ShardState::check(const GroupGradient& gradient) const {
  const Group& group = gradient.group;
  if (group.iteration >= rules_.plan.iterations() ||
      group.iteration > version_ + SyncMode::lead_max)
    return refused(gradient, "no such iteration now; the shard is at " + std::to_string(version_));
  const std::uint32_t count = rules_.plan.blocks_in(group.iteration);
  std::uint32_t samples = 0;
  std::set<std::uint32_t> seen;
  for (std::uint32_t block : group.blocks) {
    if (block >= count || !seen.insert(block).second)
      return refused(gradient, "block " + std::to_string(block) + " is unknown or named twice");
    samples += rules_.plan.samples_in_block(group.iteration, block);
  }
  if (samples == 0 || samples != gradient.samples)
    return refused(gradient, "its blocks hold " + std::to_string(samples) + " samples, it says " +
                                 std::to_string(gradient.samples));
  const std::size_t length = rules_.reproducible ? gradient.fixed.size() : gradient.floats.size();
  if (length != range_.count)
    return refused(gradient, "it has " + std::to_string(length) + " values, the shard " +
                                 std::to_string(range_.count));
  if (!(gradient.learning_rate > 0) || !std::isfinite(gradient.learning_rate))
    return refused(gradient, "its learning rate is " + std::to_string(gradient.learning_rate));
  if (!all_finite(gradient.floats))
    return Error{Errc::diverged, refused(gradient,
                                         "a value is not finite; the gradient diverged or a sample "
                                         "is bad")
                                     .context};
  const auto limit = static_cast<std::int64_t>(group.blocks.size()) << FixedPointSum::part_bits;
  if (std::ranges::any_of(gradient.fixed,
                          [limit](auto value) { return value > limit || value < -limit; }))
    return refused(gradient, "a fixed-point value is larger than its blocks can make it");
  return ok();
}

Result<ShardState::Taken> ShardState::push(GroupGradient gradient) {
  if (gradient.group.iteration < version_) return Taken::already;
  if (staged_.contains(gradient.group.id)) return Taken::already;
  if (Status status = check(gradient); !status) return status.error();
  if (!rules_.mode->committed()) return apply_now(std::move(gradient));
  if (gradient.group.iteration != version_ || gradient.version != version_)
    return refused(gradient, "it was computed at version " + std::to_string(gradient.version) +
                                 ", the shard is at " + std::to_string(version_));
  const GroupId id = gradient.group.id;
  staged_.emplace(id, std::move(gradient));
  return Taken::now;
}

ShardState::Partial& ShardState::partial(std::uint64_t iteration) {
  auto [found, is_new] = partial_.try_emplace(iteration);
  if (is_new) {
    found->second.blocks.resize(rules_.plan.blocks_in(iteration));
    found->second.remaining = rules_.plan.blocks_in(iteration);
  }
  return found->second;
}

void ShardState::enter(Partial& partial, const Group& group) {
  for (std::uint32_t block : group.blocks) partial.blocks[block] = true;
  partial.remaining -= static_cast<std::uint32_t>(group.blocks.size());
  partial.groups.emplace(group.id, group);
}

Status ShardState::take_over(const std::vector<Group>& applied, std::vector<GroupId> last_commit) {
  const auto misfit = [this](const Group& group, const std::string& why) {
    return Error{Errc::invalid_argument,
                 "taking over " + rules_.plan.describe(group.iteration, group.blocks) + ": " + why};
  };
  for (const Group& group : applied) {
    if (rules_.mode->committed())
      return misfit(group, "nothing is applied before its iteration is");
    if (group.iteration < version_ || group.iteration >= rules_.plan.iterations() ||
        group.iteration > version_ + SyncMode::lead_max)
      return misfit(group, "no such iteration; the shard is at " + std::to_string(version_));
    Partial& of_iteration = partial(group.iteration);
    for (std::uint32_t block : group.blocks) {
      if (block >= of_iteration.blocks.size() || of_iteration.blocks[block])
        return misfit(group, "block " + std::to_string(block) + " is unknown or in already");
      of_iteration.blocks[block] = true;
    }
    enter(of_iteration, group);
  }
  last_commit_ = std::move(last_commit);
  return ok();
}

Result<ShardState::Taken> ShardState::apply_now(GroupGradient gradient) {
  const Group& group = gradient.group;
  Partial& of_iteration = partial(group.iteration);
  if (of_iteration.groups.contains(group.id)) return Taken::already;
  for (std::uint32_t block : group.blocks)
    if (of_iteration.blocks[block])
      return refused(gradient, "block " + std::to_string(block) + " is in already");
  const std::uint64_t delay = version_ - std::min(version_, gradient.version);
  apply(Step{.learning_rate = gradient.learning_rate,
             .iteration_samples = static_cast<double>(rules_.plan.samples_in(group.iteration)),
             .samples = static_cast<double>(gradient.samples),
             .damping = rules_.damping ? damping(delay) : 1.0},
        {&gradient});
  enter(of_iteration, group);
  for (auto front = partial_.find(version_);
       front != partial_.end() && front->second.remaining == 0; front = partial_.find(version_)) {
    partial_.erase(front);
    ++version_;
  }
  return Taken::now;
}

Status ShardState::commit(std::uint64_t iteration, const std::vector<GroupId>& groups) {
  const std::string what = "committing iteration " + std::to_string(iteration) + ": ";
  if (iteration < version_) return ok();
  if (iteration != version_)
    return Error{Errc::invalid_argument, what + "the shard is at " + std::to_string(version_)};
  std::vector<const GroupGradient*> gradients;
  std::set<std::uint32_t> blocks;
  std::size_t named = 0;
  for (GroupId id : groups) {
    const auto staged = staged_.find(id);
    if (staged == staged_.end())
      return Error{Errc::invalid_argument, what + "group " + std::to_string(id) + " is not staged"};
    gradients.push_back(&staged->second);
    blocks.insert(staged->second.group.blocks.begin(), staged->second.group.blocks.end());
    named += staged->second.group.blocks.size();
  }
  if (named != blocks.size() || named != rules_.plan.blocks_in(iteration))
    return Error{Errc::invalid_argument, what + "its groups are not a partition of its blocks"};
  const auto first_block = [](const GroupGradient* gradient) {
    return std::ranges::min(gradient->group.blocks);
  };
  std::ranges::sort(gradients, {}, first_block);
  const auto samples = static_cast<double>(rules_.plan.samples_in(iteration));
  // Whoever computed it, an iteration has one rate.
  apply(Step{.learning_rate = gradients.front()->learning_rate,
             .iteration_samples = samples,
             .samples = samples,
             .damping = 1},
        gradients);
  last_commit_ = groups;
  staged_.clear();
  ++version_;
  return ok();
}

void ShardState::apply(const Step& step, const std::vector<const GroupGradient*>& gradients) {
  std::array<std::span<float>, Optimizer::slots_max> all_slots;
  const auto slots = std::span(all_slots).first(slots_.size());
  for (std::size_t from = 0; from < range_.count; from += parameter_block) {
    const std::size_t count = std::min(parameter_block, range_.count - from);
    const auto values = std::span(values_).subspan(from, count);
    for (std::size_t s = 0; s < slots.size(); ++s)
      slots[s] = std::span(slots_[s]).subspan(from, count);
    changes_.watch(from / parameter_block, values, slots,
                   [&] { apply_to_block(step, gradients, from, values, slots); });
  }
}

void ShardState::apply_to_block(const Step& step,
                                const std::vector<const GroupGradient*>& gradients,
                                std::size_t from, std::span<float> values,
                                std::span<const std::span<float>> slots) {
  const std::size_t count = values.size();
  if (gradients.size() == 1 && !rules_.reproducible) {
    // What arrives alone needs no sum.
    rules_.optimizer->apply(step, gradients.front()->floats.subspan(from, count), values, slots);
    return;
  }
  std::vector<double> sums(count);
  if (rules_.reproducible) {
    std::vector<std::int64_t> exact(count);
    for (const GroupGradient* gradient : gradients)
      for (std::size_t i = 0; i < count; ++i) exact[i] += gradient->fixed[from + i];
    for (std::size_t i = 0; i < count; ++i)
      sums[i] = static_cast<double>(exact[i]) * fixed_point_unit;
  } else {
    for (const GroupGradient* gradient : gradients)
      for (std::size_t i = 0; i < count; ++i) sums[i] += gradient->floats[from + i];
  }
  rules_.optimizer->apply(step, std::span<const double>(sums), values, slots);
}

std::vector<Group> ShardState::groups() const {
  std::vector<Group> all;
  for (const auto& [id, gradient] : staged_) all.push_back(gradient.group);
  for (const auto& [iteration, partial] : partial_)
    for (const auto& [id, group] : partial.groups) all.push_back(group);
  return all;
}

}  // namespace slime::trainer
