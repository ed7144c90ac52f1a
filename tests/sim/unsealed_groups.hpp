#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "runtime/simulation/delivery.hpp"
#include "runtime/wire/message.hpp"
#include "schemas/training.capnp.h"
#include "tests/sim/training_job.hpp"

namespace slime::tests {

/// Which groups each worker was leased and did not seal, as far as the messages that pass by tell.
/// Owned by the test, which calls `see` for each of them.
class UnsealedGroups {
 public:
  void see(const runtime::Delivery& delivery) {
    using runtime::Message;
    if (delivery.message.type == runtime::type_id<schema::Grant>())
      Message<schema::Grant>::adopt(delivery.message.words).read([&](schema::Grant::Reader grant) {
        if (!grant.isCompute() || grant.getCompute().getGroup() != 0) return;
        auto& iterations = unsealed_[delivery.to];
        iterations.insert(grant.getCompute().getIteration());
        if (iterations.size() > 1) ++ahead_;
      });
    if (delivery.message.type == runtime::type_id<schema::Seal>())
      Message<schema::Seal>::adopt(delivery.message.words).read([&](schema::Seal::Reader seal) {
        unsealed_[delivery.from].erase(seal.getIteration());
      });
    if (delivery.message.type == runtime::type_id<schema::Begin>()) unsealed_.erase(delivery.to);
  }

  std::size_t of(const ActorAddress& worker) const {
    const auto found = unsealed_.find(worker);
    return found == unsealed_.end() ? 0 : found->second.size();
  }
  /// Leases that came beside an unsealed group.
  std::size_t ahead() const { return ahead_; }

 private:
  std::map<ActorAddress, std::set<std::uint64_t>> unsealed_;
  std::size_t ahead_ = 0;
};

}  // namespace slime::tests
