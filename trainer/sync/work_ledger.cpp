#include "trainer/sync/work_ledger.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace slime::trainer {

namespace {

// Groups that a worker may have and not have sealed: one that it is nearly done with, one ahead.
constexpr std::size_t holdings_max = 2;

}  // namespace

WorkLedger::WorkLedger(const WorkPlan& plan, std::uint64_t start, bool committed,
                       GroupId first_group, LedgerRules rules)
    : plan_(plan),
      committed_(committed),
      rules_(std::move(rules)),
      frontier_(start),
      pause_at_(plan.iterations()),
      next_group_(first_group) {}

void WorkLedger::join(WorkerId worker) {
  hands_.try_emplace(worker, Hand{.clock = frontier_, .holdings = {}});
  samples_done_.try_emplace(worker, 0);
}

const WorkLedger::Holding* WorkLedger::Hand::of(std::uint64_t iteration) const {
  const auto found = std::ranges::find(holdings, iteration, &Holding::iteration);
  return found == holdings.end() ? nullptr : &*found;
}

bool WorkLedger::holds(WorkerId worker) const {
  const auto found = hands_.find(worker);
  return found != hands_.end() && !found->second.holdings.empty();
}

void WorkLedger::release(const Holding& holding, WorkerId worker) {
  if (holding.iteration < frontier_) return;
  for (std::uint32_t block : holding.unsealed) release(holding.iteration, block, worker);
}

void WorkLedger::release(std::uint64_t iteration, std::uint32_t index, WorkerId worker) {
  Flight& in = flight(iteration);
  Block& block = in.blocks[index];
  if (block.state != State::held) return;
  if (block.holder == worker) block.holder = std::exchange(block.second, std::nullopt);
  if (block.second == worker) block.second.reset();
  if (!block.holder) make_free(iteration, index);
}

void WorkLedger::make_free(std::uint64_t iteration, std::uint32_t index) {
  Flight& in = flight(iteration);
  in.blocks[index] = Block{};
  // One whose block was sealed by another may still have it in its sum: it is that one's again,
  // since whoever gets a block twice would count it twice.
  for (const auto& [worker, hand] : hands_) {
    const Holding* holding = hand.of(iteration);
    if (!holding || !holding->unsealed.contains(index)) continue;
    in.blocks[index].state = State::held;
    in.blocks[index].holder = worker;
    return;
  }
  in.pool.insert(index);
}

void WorkLedger::leave(WorkerId worker) {
  const auto found = hands_.find(worker);
  if (found == hands_.end()) return;
  const Hand hand = std::move(found->second);
  hands_.erase(found);
  for (const Holding& holding : hand.holdings) release(holding, worker);
  for (Flight& in : flights_) {
    const auto part = in.parts.find(worker);
    if (part == in.parts.end()) continue;
    in.pool.insert(part->second.begin(), part->second.end());
    in.parts.erase(part);
  }
  for (auto at = sealed_.begin(); at != sealed_.end();) {
    SealedGroup& sealed = at->second;
    if (sealed.worker != worker) {
      ++at;
      continue;
    }
    sealed.worker.reset();
    if (!committed_) {
      ++at;
      continue;
    }
    for (std::uint32_t block : sealed.group.blocks) make_free(sealed.group.iteration, block);
    at = sealed_.erase(at);
  }
}

void WorkLedger::open_flight(Instant now) {
  const std::uint64_t iteration = started();
  const std::uint32_t count = plan_.blocks_in(iteration);
  Flight in;
  in.blocks.resize(count);
  in.remaining = count;
  std::map<WorkerId, std::uint64_t> weights;
  std::uint64_t total = 0;
  if (rules_.supply == Supply::parts)
    for (const auto& [worker, hand] : hands_) {
      const auto share = shares_.find(worker);
      const bool none = share == shares_.end() || is_late(worker, now);
      total += weights[worker] = none ? 0 : share->second;
    }
  if (total == 0)
    for (auto& [worker, weight] : weights) total += weight = 1;
  // Cut points are rounded prefix sums: a change of shares moves only cut points, and a short
  // iteration is split in the same proportion.
  std::uint64_t prefix = 0;
  std::uint32_t from = 0;
  for (const auto& [worker, weight] : weights) {
    prefix += weight;
    const auto to = static_cast<std::uint32_t>((prefix * count + total / 2) / total);
    if (to > from) {
      auto& part = in.parts[worker];
      for (; from < to; ++from) part.push_back(from);
    }
  }
  for (; from < count; ++from) in.pool.insert(from);
  flights_.push_back(std::move(in));
}

bool WorkLedger::may_start(WorkerId worker, std::uint64_t iteration) const {
  return iteration < pause_at_ && iteration < plan_.iterations() &&
         iteration - frontier_ <= rules_.slack(worker);
}

std::uint64_t WorkLedger::newest_allowed(WorkerId worker) const {
  return std::min({frontier_ + rules_.slack(worker) + 1, pause_at_, started()});
}

Work WorkLedger::grant(WorkerId worker, std::uint64_t iteration, std::vector<std::uint32_t> blocks,
                       Instant now) {
  Hand& hand = hands_.at(worker);
  Flight& in = flight(iteration);
  if (!hand.of(iteration)) hand.holdings.push_back({.iteration = iteration, .unsealed = {}});
  // More is only added to the newest.
  assert(hand.holdings.back().iteration == iteration);
  for (std::uint32_t index : blocks) {
    Block& block = in.blocks[index];
    (block.state == State::held ? block.second : block.holder) = worker;
    if (block.state == State::free) block.granted = now;
    block.state = State::held;
    hand.holdings.back().unsealed.insert(index);
  }
  hand.holdings.back().granted = now;
  const bool more =
      in.parts.contains(worker) || (rules_.supply == Supply::blocks && !in.pool.empty());
  return Work{Work::Kind::compute, iteration, std::move(blocks), 0, !more};
}

std::vector<std::uint32_t> WorkLedger::take_part(WorkerId worker, Flight& in) {
  const auto part = in.parts.find(worker);
  if (part == in.parts.end()) return {};
  // A few blocks are one lease, since each lease costs a round trip and a pass over the gradient;
  // of more, half at a time, which leaves something to reassign. Where all wait for the last block
  // of an iteration, a third at a time to the very end: what is leased is beyond help.
  const std::size_t left = part->second.size();
  const bool fine =
      committed_ && rules_.reassign && (left > lease_blocks_max || held_by(worker, in) > 0);
  const auto count = static_cast<std::ptrdiff_t>(fine                       ? (left + 2) / 3
                                                 : left <= lease_blocks_max ? left
                                                                            : (left + 1) / 2);
  std::vector<std::uint32_t> blocks(part->second.begin(), part->second.begin() + count);
  part->second.erase(part->second.begin(), part->second.begin() + count);
  if (part->second.empty()) in.parts.erase(part);
  return blocks;
}

std::vector<std::uint32_t> WorkLedger::take_pool(WorkerId worker, Flight& in) {
  std::size_t count = 1;
  if (rules_.supply == Supply::slices) {
    const auto share = shares_.find(worker);
    count = share != shares_.end() ? share->second : in.blocks.size() / hands_.size();
  }
  std::vector<std::uint32_t> blocks;
  for (count = std::max<std::size_t>(1, count); count > 0 && !in.pool.empty(); --count)
    blocks.push_back(in.pool.extract(in.pool.begin()).value());
  return blocks;
}

Work WorkLedger::more_of_same(WorkerId worker, const Hand& hand, Instant now) {
  const std::uint64_t iteration = hand.holdings.back().iteration;
  if (iteration < frontier_) return {};
  Flight& in = flight(iteration);
  if (auto blocks = take_part(worker, in); !blocks.empty())
    return grant(worker, iteration, std::move(blocks), now);
  if (rules_.supply != Supply::slices)
    if (auto blocks = take_pool(worker, in); !blocks.empty())
      return grant(worker, iteration, std::move(blocks), now);
  // Helping a slower worker is for those who could not go on with their own.
  if (!may_start(worker, std::max(hand.clock, iteration + 1)))
    if (auto blocks = take_over(worker, in, now); !blocks.empty())
      return grant(worker, iteration, std::move(blocks), now);
  return {};
}

Work WorkLedger::reissue(WorkerId worker) {
  for (auto& [id, sealed] : sealed_) {
    if (sealed.worker) continue;
    sealed.worker = worker;
    return Work{Work::Kind::compute, sealed.group.iteration, sealed.group.blocks, id, true};
  }
  return Work{};
}

Work WorkLedger::another_group(WorkerId worker, Hand& hand, Instant now) {
  if (Work again = reissue(worker); again.kind != Work::Kind::wait) return again;
  hand.clock = std::max(hand.clock, frontier_);
  // A seal names its group by the iteration, so there is one of each at most.
  for (std::uint64_t k = frontier_; k < newest_allowed(worker); ++k)
    if (!hand.of(k))
      if (auto blocks = take_pool(worker, flight(k)); !blocks.empty())
        return grant(worker, k, std::move(blocks), now);
  while (may_start(worker, hand.clock)) {
    while (started() <= hand.clock) open_flight(now);
    Flight& in = flight(hand.clock);
    if (!hand.of(hand.clock)) {
      if (auto blocks = take_part(worker, in); !blocks.empty())
        return grant(worker, hand.clock, std::move(blocks), now);
      if (auto blocks = take_pool(worker, in); !blocks.empty())
        return grant(worker, hand.clock, std::move(blocks), now);
    }
    ++hand.clock;
  }
  // Others are helped by those who have nothing left to do.
  if (!hand.holdings.empty()) return {};
  for (std::uint64_t k = frontier_; k < newest_allowed(worker); ++k) {
    if (auto blocks = take_over(worker, flight(k), now); !blocks.empty())
      return grant(worker, k, std::move(blocks), now);
    if (auto block = take_overdue(worker, k, now)) return grant(worker, k, {*block}, now);
  }
  return {};
}

Work WorkLedger::next(WorkerId worker, Instant now, bool ahead) {
  Hand& hand = hands_.at(worker);
  if (hand.holdings.empty()) return another_group(worker, hand, now);
  const Work seal{Work::Kind::seal, hand.holdings.back().iteration, {}, 0, true};
  const bool told = hand.holdings.back().complete;
  if (!told) {
    if (Work more = more_of_same(worker, hand, now); more.kind != Work::Kind::wait) return more;
    hand.holdings.back().complete = true;
  }
  if (!ahead) return seal;
  if (!committed_ && hand.holdings.size() < holdings_max)
    if (Work work = another_group(worker, hand, now); work.kind != Work::Kind::wait) return work;
  return told ? Work{} : seal;
}

std::optional<Group> WorkLedger::seal(WorkerId worker, std::uint64_t iteration,
                                      const std::vector<std::uint32_t>& blocks) {
  const auto found = hands_.find(worker);
  if (found == hands_.end()) return std::nullopt;
  auto& holdings = found->second.holdings;
  const auto at = std::ranges::find(holdings, iteration, &Holding::iteration);
  if (at == holdings.end()) {
    // It has lost track of what it holds; then nobody else must wait for it.
    for (const Holding& lost : std::exchange(holdings, {})) release(lost, worker);
    return std::nullopt;
  }
  const Holding holding = std::move(*at);
  holdings.erase(at);
  if (iteration < frontier_) return std::nullopt;
  Flight& in = flight(iteration);
  const bool distinct = std::set(blocks.begin(), blocks.end()).size() == blocks.size();
  const bool all_mine =
      distinct && !blocks.empty() && std::ranges::all_of(blocks, [&](std::uint32_t index) {
        return holding.unsealed.contains(index) && in.blocks[index].state == State::held;
      });
  if (!all_mine) {
    release(holding, worker);
    return std::nullopt;
  }
  const Group group{next_group_++, iteration, blocks};
  for (std::uint32_t index : blocks) in.blocks[index] = Block{State::sealed, worker, {}, {}};
  release(holding, worker);
  sealed_[group.id] = SealedGroup{group, worker};
  return group;
}

void WorkLedger::complete(GroupId id) {
  const auto found = sealed_.find(id);
  if (found == sealed_.end()) return;
  const SealedGroup sealed = std::move(found->second);
  sealed_.erase(found);
  Flight& in = flight(sealed.group.iteration);
  for (std::uint32_t index : sealed.group.blocks) {
    assert(in.blocks[index].state == State::sealed);
    in.blocks[index].state = State::done;
    if (sealed.worker)
      samples_done_[*sealed.worker] += plan_.samples_in_block(sealed.group.iteration, index);
  }
  in.remaining -= sealed.group.blocks.size();
  in.done_groups.push_back(id);
  if (!committed_) advance();
}

std::map<GroupId, std::uint64_t> WorkLedger::completed() const {
  std::map<GroupId, std::uint64_t> all;
  for (std::size_t i = 0; i < flights_.size(); ++i)
    for (const GroupId id : flights_[i].done_groups) all.emplace(id, frontier_ + i);
  return all;
}

void WorkLedger::advance() {
  while (!flights_.empty() && flights_.front().remaining == 0) {
    flights_.pop_front();
    ++frontier_;
  }
}

std::optional<std::vector<GroupId>> WorkLedger::commit_ready() const {
  if (!committed_ || flights_.empty() || flights_.front().remaining != 0) return std::nullopt;
  return flights_.front().done_groups;
}

void WorkLedger::commit() {
  assert(commit_ready());
  flights_.pop_front();
  ++frontier_;
}

bool WorkLedger::restore(const Group& group, bool everywhere) {
  if (group.iteration < frontier_ || group.iteration >= plan_.iterations()) return false;
  while (started() <= group.iteration) open_flight({});
  Flight& in = flight(group.iteration);
  for (std::uint32_t index : group.blocks)
    if (index >= in.blocks.size() || in.blocks[index].state != State::free) return false;
  for (std::uint32_t index : group.blocks) {
    in.blocks[index] = Block{State::sealed, {}, {}, {}};
    in.pool.erase(index);
    for (auto& [worker, part] : in.parts) std::erase(part, index);
  }
  std::erase_if(in.parts, [](const auto& part) { return part.second.empty(); });
  sealed_[group.id] = SealedGroup{group, {}};
  if (everywhere) complete(group.id);
  return true;
}

}  // namespace slime::trainer
