#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "runtime/simulation/delivery.hpp"
#include "runtime/wire/message.hpp"
#include "schemas/training.capnp.h"

namespace slime::tests {

/// Whether a shard ever lacks what all shards had acknowledged, told from the messages that pass
/// by. A worker completes a group once every shard has answered its push; a shard that is adopted
/// says what it has. Shards that start anew, as after a rollback, need to have nothing. Owned by
/// the test, which calls `see` for each delivery.
class AcknowledgedGroups {
 public:
  void see(const runtime::Delivery& delivery) {
    using runtime::Message;
    const auto& words = delivery.message.words;
    const std::uint64_t type = delivery.message.type;
    if (type == runtime::type_id<schema::Begin>()) {
      Message<schema::Begin>::adopt(words).read(
          [this](auto begin) { term_ = std::max(term_, begin.getTerm()); });
    } else if (type == runtime::type_id<schema::Prepare>()) {
      acknowledged_.clear();
      over_ = term_;
    } else if (type == runtime::type_id<schema::Push>()) {
      Message<schema::Push>::adopt(words).read(
          [this](auto push) { pushed_[push.getGroup()] = push.getIteration(); });
    } else if (type == runtime::type_id<schema::Complete>()) {
      Message<schema::Complete>::adopt(words).read([this](schema::Complete::Reader complete) {
        if (complete.getFailure().getCode() == 0 && complete.getTerm() > over_)
          acknowledged_[complete.getGroup()] = pushed_[complete.getGroup()];
      });
    } else if (type == runtime::type_id<schema::Inventory>()) {
      Message<schema::Inventory>::adopt(words).read([this](auto inventory) { check(inventory); });
    }
  }

  /// The first loss; empty: none.
  const std::string& lost() const { return lost_; }
  std::size_t checked() const { return checked_; }

 private:
  void check(schema::Inventory::Reader inventory) {
    ++checked_;
    auto missing = acknowledged_;
    for (const auto record : inventory.getGroups()) missing.erase(record.getGroup());
    for (const auto& [group, iteration] : missing)
      if (iteration >= inventory.getVersion() && lost_.empty())
        lost_ = "group " + std::to_string(group) + " of iteration " + std::to_string(iteration) +
                ", by a shard at iteration " + std::to_string(inventory.getVersion());
  }

  std::map<std::uint64_t, std::uint64_t> pushed_;        ///< Iteration by group.
  std::map<std::uint64_t, std::uint64_t> acknowledged_;  ///< The same, since shards last started.
  std::uint64_t term_ = 0;                               ///< The newest that a worker began.
  std::uint64_t over_ = 0;  ///< What was acknowledged in it and before does not count any more.
  std::size_t checked_ = 0;
  std::string lost_;
};

}  // namespace slime::tests
