#include "runtime/cluster/actor_table.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/attachable.hpp>

#include <algorithm>

#include "runtime/base/utc_time.hpp"

namespace slime::runtime {

Result<ActorAddress> ActorTable::reserve(std::uint64_t fixed, std::string_view type) {
  const std::string what =
      "spawning a " + std::string(type) + " as actor " + std::to_string(fixed) + ": ";
  if (fixed >= first_free)
    return Error{Errc::invalid_argument,
                 what + "fixed numbers are below " + std::to_string(first_free)};
  const std::unique_lock lock(mutex_);
  const std::uint64_t number = fixed != 0 ? fixed : next_++;
  if (graves_.contains(number) ||
      !living_.try_emplace(number, Living{std::string(type), {}}).second)
    return Error{Errc::already_exists, what + "the number is taken"};
  return address(number);
}

void ActorTable::publish(std::uint64_t number, Entry entry) {
  const std::unique_lock lock(mutex_);
  const auto found = living_.find(number);
  // It may have ended before it was published.
  if (found != living_.end()) found->second.entry = std::move(entry);
}

void ActorTable::bury(std::uint64_t number, const std::optional<Error>& reason,
                      std::int64_t when_us) {
  const std::unique_lock lock(mutex_);
  const auto found = living_.find(number);
  if (found == living_.end()) return;
  graves_[number] = Grave{std::move(found->second.type), reason, when_us};
  living_.erase(found);
  // Graves of fixed numbers are kept, or the number could be given again.
  if (number >= first_free) burials_.push_back(number);
  while (burials_.size() > graves_max_) {
    graves_.erase(burials_.front());
    burials_.pop_front();
  }
}

ActorTable::Entry ActorTable::find(std::uint64_t number) const {
  const std::shared_lock lock(mutex_);
  const auto found = living_.find(number);
  return found == living_.end() ? Entry{} : found->second.entry;
}

std::string ActorTable::describe(std::uint64_t number, const Grave& grave) const {
  return "actor " + to_string(address(number)) + " (" + grave.type + ") ended at " +
         utc_text(grave.when_us) + ": " +
         (grave.reason ? to_string(*grave.reason) : std::string("normally"));
}

Error ActorTable::why_dead(std::uint64_t number) const {
  const std::shared_lock lock(mutex_);
  const auto grave = graves_.find(number);
  if (grave != graves_.end()) return Error{Errc::unavailable, describe(number, grave->second)};
  return Error{Errc::unavailable,
               "actor " + to_string(address(number)) +
                   (number < next_ ? " ended long ago" : " does not exist (yet) on its node")};
}

std::optional<Error> ActorTable::last_words(std::uint64_t number) const {
  const std::shared_lock lock(mutex_);
  const auto grave = graves_.find(number);
  if (grave == graves_.end())
    return Error{Errc::unavailable, "actor " + to_string(address(number)) + " is not there"};
  if (!grave->second.reason) return std::nullopt;
  return Error{grave->second.reason->code, describe(number, grave->second)};
}

ActorAddress ActorTable::admit_guest(const caf::strong_actor_ptr& guest) {
  const std::uint64_t id = guest->id();
  std::uint64_t number = 0;
  {
    const std::unique_lock lock(mutex_);
    const auto known = guests_.find(id);
    if (known != guests_.end()) return address(known->second);
    number = next_++;
    guests_[id] = number;
    living_[number] = Living{"guest", Entry{guest, nullptr}};
  }
  // The table holds the guest until it ends, and outlives every actor of its node.
  guest->get()->attach_functor([this, id, number] {
    const std::unique_lock lock(mutex_);
    guests_.erase(id);
    living_.erase(number);
  });
  return address(number);
}

std::vector<ActorRecord> ActorTable::list() const {
  std::vector<ActorRecord> records;
  const std::shared_lock lock(mutex_);
  for (const auto& [number, living] : living_)
    if (living.entry.load) records.push_back(ActorRecord{address(number), living.type, true, {}});
  for (const auto& [number, grave] : graves_)
    records.push_back(ActorRecord{address(number), grave.type, false, describe(number, grave)});
  std::sort(records.begin(), records.end(), [](const ActorRecord& a, const ActorRecord& b) {
    return std::pair(!a.alive, a.address.number) < std::pair(!b.alive, b.address.number);
  });
  return records;
}

std::vector<ActorAddress> ActorTable::living() const {
  std::vector<ActorAddress> addresses;
  const std::shared_lock lock(mutex_);
  for (const auto& [number, living] : living_) {
    const bool guest = living.entry.actor && !living.entry.load;
    if (!guest) addresses.push_back(address(number));
  }
  return addresses;
}

void ActorTable::measure(NodeStats& stats) const {
  const std::shared_lock lock(mutex_);
  for (const auto& [number, living] : living_) {
    if (!living.entry.load) continue;
    ++stats.actors_alive;
    stats.messages_waiting += living.entry.load->messages();
    stats.bytes_waiting += living.entry.load->bytes();
  }
}

}  // namespace slime::runtime
