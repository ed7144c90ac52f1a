#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "runtime/simulation/delivery.hpp"
#include "runtime/wire/message.hpp"
#include "schemas/training.capnp.h"

namespace slime::tests {

/// How far leases run ahead of the frontier and which blocks are done, as far as the messages that
/// pass by tell. Owned by the test, which calls `see` for each of them.
class LeaseBounds {
 public:
  /// @param blocks  Of each iteration, in their order.
  explicit LeaseBounds(std::vector<std::uint32_t> blocks) : blocks_(std::move(blocks)) {}

  void see(const runtime::Delivery& delivery) {
    using runtime::Message;
    const auto& words = delivery.message.words;
    if (delivery.message.type == runtime::type_id<schema::Grant>())
      Message<schema::Grant>::adopt(words).read([&](schema::Grant::Reader grant) {
        if (!grant.isCompute()) return;
        const std::uint64_t iteration = grant.getCompute().getIteration();
        if (iteration >= frontier_) lead_ = std::max(lead_, iteration - frontier_);
      });
    // The worker seals a group and learns its number; complete, all shards have it.
    if (delivery.message.type == runtime::type_id<schema::Seal>())
      Message<schema::Seal>::adopt(words).read([&](schema::Seal::Reader seal) {
        auto& asked = asked_[delivery.from];
        asked.iteration = seal.getIteration();
        asked.blocks.clear();
        for (const std::uint32_t block : seal.getBlocks()) asked.blocks.push_back(block);
      });
    if (delivery.message.type == runtime::type_id<schema::Sealed>())
      Message<schema::Sealed>::adopt(words).read([&](schema::Sealed::Reader sealed) {
        if (sealed.getGroup() != 0) groups_[sealed.getGroup()] = asked_[delivery.to];
      });
    if (delivery.message.type == runtime::type_id<schema::Complete>())
      Message<schema::Complete>::adopt(words).read([&](schema::Complete::Reader complete) {
        take(groups_[complete.getGroup()], delivery.now);
      });
  }

  /// The oldest iteration with a block that nobody has completed.
  std::uint64_t frontier() const { return frontier_; }
  /// The largest lead over the frontier that a lease had.
  std::uint64_t lead() const { return lead_; }
  /// The longest time in which nobody completed anything, from the first completion on.
  Duration longest_pause() const { return longest_pause_; }

 private:
  struct Group {
    std::uint64_t iteration = 0;
    std::vector<std::uint32_t> blocks;
  };

  void take(const Group& group, Instant now) {
    auto& done = done_[group.iteration];
    done.insert(group.blocks.begin(), group.blocks.end());
    while (frontier_ < blocks_.size() && done_[frontier_].size() == blocks_[frontier_])
      done_.erase(frontier_++);
    if (last_) longest_pause_ = std::max(longest_pause_, now - *last_);
    last_ = now;
  }

  std::vector<std::uint32_t> blocks_;
  std::map<ActorAddress, Group> asked_;
  std::map<std::uint64_t, Group> groups_;
  std::map<std::uint64_t, std::set<std::uint32_t>> done_;
  std::uint64_t frontier_ = 0;
  std::uint64_t lead_ = 0;
  std::optional<Instant> last_;
  Duration longest_pause_{0};
};

}  // namespace slime::tests
