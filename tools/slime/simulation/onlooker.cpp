#include "tools/slime/simulation/onlooker.hpp"

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

void Onlooker::see(const runtime::Delivery& delivery) {
  if (delivery.kind == runtime::DeliveryKind::down)
    partings_.emplace(delivery.from, delivery.to);
  else if (is<schema::Grant>(delivery))
    read<schema::Grant>(delivery, [&](auto grant) { granted(grant, delivery.now); });
  else if (is<schema::Next>(delivery))
    read<schema::Next>(delivery, [&](schema::Next::Reader next) {
      machines_[next.getWorker()] = delivery.from.node;
    });
  else if (is<schema::Seal>(delivery))
    read<schema::Seal>(delivery, [&](schema::Seal::Reader seal) {
      Sealing& newest = sealing_[delivery.from];
      if (seal.getSequence() < newest.sequence) return;
      newest = {seal.getSequence(), seal.getMeasured().getComputeSeconds()};
    });
  else if (is<schema::Sealed>(delivery))
    read<schema::Sealed>(delivery, [&](auto answer) { sealed(answer.getGroup(), delivery.to); });
  else if (is<schema::Push>(delivery))
    read<schema::Push>(delivery, [&](schema::Push::Reader push) {
      pushed_.try_emplace(
          push.getGroup(),
          Group{push.getIteration(), runtime::to_vector<std::uint32_t>(push.getBlocks())});
    });
  else if (is<schema::Complete>(delivery))
    read<schema::Complete>(delivery, [&](auto complete) { completed(complete, delivery); });
  else if (is<schema::Shares>(delivery))
    read<schema::Shares>(delivery, [&](auto shares) { shared(shares); });
}

void Onlooker::granted(schema::Grant::Reader grant, Instant now) {
  if (grant.isFinish()) ended_ = true;
  if (!grant.isCompute()) return;
  if (!started_) started_ = now;
  const std::uint64_t iteration = grant.getCompute().getIteration();
  const std::uint64_t frontier = frontier_at(Duration(grant.getCompute().getRunNs()), now);
  if (iteration < frontier) return;  // Of the past, and refused when it is sealed.
  lead_ = std::max(lead_, iteration - frontier);
  if (iteration - frontier > lead_max_ && !violation_)
    violation_ = "iteration " + std::to_string(iteration) + " was leased while " +
                 std::to_string(frontier) + " was not all applied; allowed is a lead of " +
                 std::to_string(lead_max_);
}

/// How many iterations were all applied when a lease that arrives now was granted.
std::uint64_t Onlooker::frontier_at(Duration run_time, Instant now) {
  // The lease that was least on its way tells best when the coordinator's clock began.
  run_began_ = std::min(run_began_, now - run_time);
  const double granted_s = to_seconds(run_began_ + run_time - *started_);
  return static_cast<std::uint64_t>(std::ranges::upper_bound(finished_s_, granted_s) -
                                    finished_s_.begin());
}

void Onlooker::sealed(std::uint64_t group, const ActorAddress& worker) {
  if (group != 0 && sealed_.insert(group).second) busy_s_ += sealing_[worker].compute_s;
}

void Onlooker::completed(schema::Complete::Reader complete, const runtime::Delivery& delivery) {
  // The coordinator refuses what it hears of a worker that it knows to be dead: others compute
  // that.
  if (complete.getFailure().getCode() != 0 || partings_.contains({delivery.from, delivery.to}))
    return;
  const auto group = pushed_.extract(complete.getGroup());
  // Pushes and completions are repeated until they are answered.
  if (group && completed_.insert(complete.getGroup()).second) apply(group.mapped(), delivery.now);
}

void Onlooker::apply(const Group& group, Instant now) {
  const std::uint32_t blocks = plan_.blocks_in(group.iteration);
  Iteration& iteration =
      open_.try_emplace(group.iteration, Iteration{std::vector<bool>(blocks), blocks})
          .first->second;
  for (const std::uint32_t block : group.blocks) {
    if ((group.iteration < finished_s_.size() || iteration.applied[block]) && !violation_)
      violation_ = "block " + std::to_string(block) + " of iteration " +
                   std::to_string(group.iteration) + " was applied twice";
    if (iteration.applied[block]) continue;
    iteration.applied[block] = true;
    --iteration.left;
  }
  for (auto oldest = open_.begin();
       oldest != open_.end() && oldest->first == finished_s_.size() && oldest->second.left == 0;
       oldest = open_.erase(oldest))
    finished_s_.push_back(to_seconds(now - *started_));
}

void Onlooker::shared(schema::Shares::Reader shares) {
  const bool first = shares_.empty();
  std::uint64_t gained = 0;
  for (const auto share : shares.getShares()) {
    std::uint32_t& blocks = shares_[share.getWorker()];
    if (share.getBlocks() > blocks) gained += share.getBlocks() - blocks;
    blocks = share.getBlocks();
  }
  // What is divided for the first time, and before the start, is not moved.
  if (first || !started_) return;
  ++share_changes_;
  samples_moved_ += gained * plan_.block;
}

std::optional<NodeId> Onlooker::machine_of(std::uint32_t worker) const {
  const auto found = machines_.find(worker);
  if (found == machines_.end()) return std::nullopt;
  return found->second;
}

}  // namespace slime::tools
