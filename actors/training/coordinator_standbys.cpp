#include <algorithm>
#include <limits>
#include <utility>

#include "actors/training/coordinator.hpp"
#include "actors/training/job_parts.hpp"
#include "runtime/wire/address.hpp"

namespace slime::actors {

using namespace std::chrono_literals;

namespace {

constexpr Duration placement_retry = 500ms;
constexpr int doublings_max = 6;
// How long a shard has none before it gets one on its own node, which protects from less: the node
// that another was on may come back.
constexpr Duration crowding_delay = 10s;
// A shard answers when it has sent its standby everything.
constexpr runtime::Retry replicate_retry{100ms, 1s};
constexpr int promotions_max = 5;

}  // namespace

std::unordered_map<NodeId, std::size_t> CoordinatorActor::shards_by_node() const {
  std::unordered_map<NodeId, std::size_t> load;
  for (const auto& [node, lost] : shards_lost_on_) load[node] += lost;
  for (const ShardSlot& slot : shards_) {
    ++load[slot.shard.address.node];
    if (slot.standby.state != StandbyPlace::State::vacant) ++load[slot.standby.node];
  }
  return load;
}

void CoordinatorActor::place_standbys() {
  if (!running() || job().getReplicas() == 0) return;
  for (std::size_t shard = 0; shard < shards_.size(); ++shard) place_standby(shard);
  const bool complete = std::ranges::none_of(shards_, [](const ShardSlot& slot) {
    return slot.standby.state == StandbyPlace::State::vacant;
  });
  if (complete || standby_timer_) return;
  standby_timer_ = after(placement_retry, [this] {
    standby_timer_.reset();
    place_standbys();
  });
}

void CoordinatorActor::place_standby(std::size_t shard) {
  const ShardSlot& slot = shards_[shard];
  StandbyPlace& place_of = shards_[shard].standby;
  if (place_of.vacant_since == Instant{}) place_of.vacant_since = now();
  if (place_of.state == StandbyPlace::State::filling && place_of.term != term_)
    return fill_standby(shard);
  const bool vacant = place_of.state == StandbyPlace::State::vacant;
  const bool beside = place_of.node == slot.shard.address.node;
  if ((!vacant && !beside) || now() < place_of.not_before) return;
  auto load = shards_by_node();
  // Of equally good nodes that of the shard after it, so that each gets one; its own the last.
  const NodeId own = slot.shard.address.node;
  const NodeId next = shards_[(shard + 1) % shards_.size()].shard.address.node;
  const auto node = place("shard", [&](NodeId id) {
    return id == own ? std::numeric_limits<std::size_t>::max() : 2 * load[id] + (id != next);
  });
  if (!node) return;
  if (node->node != slot.shard.address.node) {
    if (!vacant) lose_standby(shard, "moves to " + node->name);
    start_standby(shard, *node);
  } else if (vacant && now() - place_of.vacant_since >= crowding_delay) {
    start_standby(shard, *node);
  }
}

void CoordinatorActor::start_standby(std::size_t shard, const runtime::Candidate& node) {
  StandbyPlace& place_of = shards_[shard].standby;
  place_of.state = StandbyPlace::State::starting;
  place_of.node = node.node;
  const std::uint64_t attempt = place_of.attempt = ++standby_attempts_;
  const auto spec = Message<schema::ShardSpec>::make([&](schema::ShardSpec::Builder root) {
    write_shard(root, shard);
    root.setStandby(true);
  });
  spawn(node, "parameter_shard", spec.any(),
        [this, shard, attempt](const Result<ActorAddress>& spawned) {
          const bool wanted =
              !ended() && shard < shards_.size() && shards_[shard].standby.attempt == attempt;
          if (!wanted) return spawned ? dismiss(*spawned, "it is not wanted any more") : void();
          if (!spawned)
            return lose_standby(shard, "could not be started: " + spawned.error().context);
          StandbyPlace& filled = shards_[shard].standby;
          filled.standby = ParameterShard{*spawned};
          filled.state = StandbyPlace::State::filling;
          watch(filled.standby);
          register_name(name_of("standby/" + std::to_string(shard)), *spawned);
          // Between two terms, the next one begins with that.
          if (running()) fill_standby(shard);
        });
}

void CoordinatorActor::fill_standby(std::size_t shard) {
  StandbyPlace& place_of = shards_[shard].standby;
  place_of.term = term_;
  const auto request = Message<schema::Replicate>::make([&](schema::Replicate::Builder root) {
    root.setTerm(term_);
    runtime::write_address(root.initStandby(), place_of.standby.address);
  });
  ask_until_answered(shards_[shard].shard, request, replicate_retry,
                     [this, shard, term = term_, standby = place_of.standby](
                         const Result<Message<schema::Replicated>>& filled) {
                       if (term != term_ || !running() || shards_[shard].standby.standby != standby)
                         return;
                       filled ? standby_ready(shard)
                              : lose_standby(shard, "is lost: " + filled.error().context);
                     });
}

void CoordinatorActor::standby_ready(std::size_t shard) {
  StandbyPlace& place_of = shards_[shard].standby;
  place_of.state = StandbyPlace::State::ready;
  place_of.lost = 0;
  shards_lost_on_.erase(place_of.node);
  const auto node = std::ranges::find(members_, place_of.node, &runtime::Candidate::node);
  const bool beside = place_of.node == shards_[shard].shard.address.node;
  event("shard " + std::to_string(shard) + " has a standby on " +
        (node == members_.end() ? "a node" : node->name) +
        (beside ? ", its own node, for want of another with role \"shard\"" : ""));
}

void CoordinatorActor::standby_lost(const Message<schema::StandbyLost>& request,
                                    Reply<schema::StandbyLostTaken> reply) {
  request.read([&](schema::StandbyLost::Reader read) {
    if (read.getTerm() != term_ || !running())
      return reply.fail(Error{Errc::stale, "the coordinator is at term " + std::to_string(term_)});
    const ActorAddress lost = runtime::read_address(read.getStandby());
    for (std::size_t shard = 0; shard < shards_.size(); ++shard)
      if (shards_[shard].shard.address == sender() &&
          shards_[shard].standby.standby.address == lost)
        lose_standby(shard, std::string("is lost: ") + read.getFailure().getContext().cStr());
    reply.send(Message<schema::StandbyLostTaken>::make());
  });
}

void CoordinatorActor::lose_standby(std::size_t shard, const std::string& what) {
  StandbyPlace& place_of = shards_[shard].standby;
  const std::string text = "the standby of shard " + std::to_string(shard) + " " + what;
  event(text);
  dismiss(place_of.standby.address, text);
  // Where they do not come to anything, the next one is rather not placed.
  if (place_of.state != StandbyPlace::State::ready &&
      place_of.node != shards_[shard].shard.address.node)
    ++shards_lost_on_[place_of.node];
  const int lost = std::min(place_of.lost, doublings_max);
  place_of = {
      .vacant_since = now(), .not_before = now() + placement_retry * (1 << lost), .lost = lost + 1};
  place_standbys();
}

bool CoordinatorActor::promote(std::size_t shard, const std::string& why) {
  ShardSlot& slot = shards_[shard];
  const bool in_time = running() || !promoted_.empty();
  if (!in_time || slot.standby.state != StandbyPlace::State::ready) return false;
  if (running()) {
    reached_ = ledger_->frontier();
    promotions_tried_ = 0;
    suspend();
    adopting_ = true;
  }
  log(runtime::LogLevel::info, why + "; its standby takes over");
  promoted_[shard] = why;
  cancel_asks_to(slot.shard.address);
  // It may live and only be out of reach. Its term and its standby's stop it, too.
  dismiss(slot.shard.address, "its standby took its place");
  slot.shard = slot.standby.standby;
  slot.standby = {.vacant_since = now()};
  register_name(name_of("shard/" + std::to_string(shard)), slot.shard.address);
  go_on_with_standbys();
  return true;
}

void CoordinatorActor::go_on_with_standbys() {
  ++term_;
  const std::uint64_t deployment = ++deployment_;
  for (const ShardSlot& slot : shards_) cancel_asks_to(slot.shard.address);
  ask_inventories(term_, [this, deployment](const std::vector<Message<schema::Inventory>>& all) {
    if (all.size() == shards_.size()) return adopt_promoted(all);
    // Another one is gone, and its death is on its way here.
    if (++promotions_tried_ >= promotions_max) return roll_back("a shard does not answer");
    after(placement_retry, [this, deployment] {
      if (deployment == deployment_) go_on_with_standbys();
    });
  });
}

void CoordinatorActor::adopt_promoted(const std::vector<Message<schema::Inventory>>& inventories) {
  for (const auto& [shard, why] : promoted_) {
    const std::string missing =
        inventories[shard].read([this](auto inventory) { return missing_from(inventory); });
    if (missing.empty()) continue;
    const std::string text = why + "; its standby lacks " + missing +
                             ", though that was acknowledged: this is a fault of SLIME, please "
                             "report it with this log";
    log(runtime::LogLevel::error, text);
    return roll_back(text);
  }
  // Every shard has forgotten its standby with the term before, and sends it everything anew.
  for (ShardSlot& slot : shards_)
    if (slot.standby.state == StandbyPlace::State::ready)
      slot.standby.state = StandbyPlace::State::filling;
  rebuild(inventories);
}

std::string CoordinatorActor::missing_from(schema::Inventory::Reader inventory) const {
  const std::uint64_t version = inventory.getVersion();
  const std::uint64_t frontier = ledger_->frontier();
  // The last commit may not have reached it, but what that commits has.
  const bool may_lag = !last_commit_.empty();
  if (version + (may_lag ? 1 : 0) < frontier)
    return "iterations from " + std::to_string(version) + " on, of which " +
           std::to_string(frontier) + " were applied";
  auto wanted = ledger_->completed();
  for (const trainer::GroupId group : last_commit_) wanted.emplace(group, frontier - 1);
  for (const auto record : inventory.getGroups()) wanted.erase(record.getGroup());
  std::erase_if(wanted, [version](const auto& group) { return group.second < version; });
  if (wanted.empty()) return "";
  return "group " + std::to_string(wanted.begin()->first) + " of iteration " +
         std::to_string(wanted.begin()->second);
}

}  // namespace slime::actors
