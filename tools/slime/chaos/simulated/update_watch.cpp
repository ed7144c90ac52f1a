#include "tools/slime/chaos/simulated/update_watch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/wire/lists.hpp"
#include "runtime/wire/message.hpp"

namespace slime::tools {

namespace {

template <class T>
bool is(const runtime::Delivery& delivery) {
  return delivery.message.type == runtime::type_id<T>();
}

template <class T, class Use>
void read(const runtime::Delivery& delivery, Use&& use) {
  runtime::Message<T>::adopt(delivery.message.words).read(use);
}

}  // namespace

void UpdateWatch::see(const runtime::Delivery& delivery) {
  if (is<schema::Begin>(delivery))
    read<schema::Begin>(delivery, [this](auto begin) { begun(begin); });
  else if (is<schema::Grant>(delivery))
    read<schema::Grant>(delivery, [this](auto grant) { granted(grant); });
  else if (is<schema::Push>(delivery))
    read<schema::Push>(delivery, [&](auto push) { pushed(push, {delivery.from, delivery.to}); });
  else if (is<schema::Pushed>(delivery))
    acknowledged({delivery.to, delivery.from});
  else if (is<schema::Commit>(delivery))
    read<schema::Commit>(delivery, [&](auto commit) { committing(commit, delivery.to); });
}

void UpdateWatch::begun(schema::Begin::Reader begin) {
  shards_ = begin.getShards().size();
}

void UpdateWatch::granted(schema::Grant::Reader grant) {
  if (!grant.isCompute()) return;
  const std::uint64_t iteration = grant.getCompute().getIteration();
  if (iteration <= frontier_ || iteration - frontier_ <= lead_max_) return;
  violated(
      fmt::format("iteration {} was leased while {} had not come to all shards; allowed is a "
                  "lead of {}",
                  iteration, frontier_, lead_max_));
}

void UpdateWatch::pushed(schema::Push::Reader push, const Line& line) {
  Group group{push.getGroup(), push.getIteration(),
              runtime::to_vector<std::uint32_t>(push.getBlocks())};
  arrived(group, line.second);
  known_[{line.second, group.id}] = group;
  under_way_[line] = std::move(group);
}

void UpdateWatch::arrived(const Group& group, const ActorAddress& shard) {
  if (group.iteration < frontier_) return;
  for (const std::uint32_t block : group.blocks) reached_[group.iteration][block].insert(shard);
  const auto complete = [this](const auto& blocks) {
    return blocks.size() == plan_.blocks_in(frontier_) &&
           std::ranges::all_of(blocks,
                               [this](const auto& at) { return at.second.size() >= shards_; });
  };
  while (frontier_ < plan_.iterations() && complete(reached_[frontier_]))
    reached_.erase(frontier_++);
}

void UpdateWatch::acknowledged(const Line& line) {
  ++acknowledged_;
  // Staged groups may be thrown away again; what counts is the commit.
  const auto pushed = under_way_.find(line);
  if (committed_ || pushed == under_way_.end()) return;
  const Group& group = pushed->second;
  auto& held = held_[{line.second, group.iteration}];
  for (const std::uint32_t block : group.blocks) {
    const auto [at, fresh] = held.try_emplace(block, group.id);
    if (!fresh && at->second != group.id)
      violated(fmt::format("shard {} has block {} of iteration {} in group {} and in group {}",
                           to_string(line.second), block, group.iteration, at->second, group.id));
  }
}

void UpdateWatch::committing(schema::Commit::Reader commit, const ActorAddress& shard) {
  const std::uint64_t iteration = commit.getIteration();
  Blocks blocks;
  for (const std::uint64_t id : commit.getGroups()) {
    const auto group = known_.find({shard, id});
    if (group == known_.end() || group->second.iteration != iteration)
      return violated(
          fmt::format("iteration {} was committed with group {}, which shard {} was "
                      "never sent",
                      iteration, id, to_string(shard)));
    blocks.insert(blocks.end(), group->second.blocks.begin(), group->second.blocks.end());
  }
  std::ranges::sort(blocks);
  const std::uint32_t wanted = plan_.blocks_in(iteration);
  const bool once = std::ranges::adjacent_find(blocks) == blocks.end();
  if (!once || blocks.size() != wanted || blocks.back() != wanted - 1)
    violated(fmt::format("iteration {} was committed with {} blocks, {}, of {}", iteration,
                         blocks.size(), once ? "each once" : "some twice", wanted));
}

void UpdateWatch::violated(std::string what) {
  if (!violation_) violation_ = std::move(what);
}

}  // namespace slime::tools
