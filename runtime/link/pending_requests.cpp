#include "runtime/link/pending_requests.hpp"

#include <utility>

namespace slime::runtime {

void PendingRequests::add(Key key, Asker asker) {
  const std::lock_guard lock(mutex_);
  askers_.insert_or_assign(key, std::move(asker));
}

std::optional<PendingRequests::Asker> PendingRequests::take(Key key) {
  const std::lock_guard lock(mutex_);
  auto node = askers_.extract(key);
  if (node.empty()) return std::nullopt;
  return std::move(node.mapped());
}

std::vector<PendingRequests::Asker> PendingRequests::take_before(std::uint64_t generation) {
  std::vector<Asker> taken;
  const std::lock_guard lock(mutex_);
  for (auto at = askers_.begin(); at != askers_.end();) {
    if (at->second.generation < generation) {
      taken.push_back(std::move(at->second));
      at = askers_.erase(at);
    } else {
      ++at;
    }
  }
  return taken;
}

std::size_t PendingRequests::size() const {
  const std::lock_guard lock(mutex_);
  return askers_.size();
}

}  // namespace slime::runtime
