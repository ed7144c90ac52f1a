#pragma once

#include <caf/actor_control_block.hpp>

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace slime::runtime {

/// The requests that were sent to one peer and are not answered yet. Whoever takes an entry owes
/// the asker its one answer. Any thread; never blocks for long.
class PendingRequests {
 public:
  /// What the answer will name: the asker's number, and the id without its flags.
  struct Key {
    std::uint64_t number = 0;
    std::uint64_t id = 0;

    bool operator==(const Key&) const = default;
  };
  struct Asker {
    caf::strong_actor_ptr actor;
    std::uint64_t id = 0;          ///< Of the request as the asker sent it.
    std::uint64_t target = 0;      ///< Number of the actor that was asked.
    std::uint64_t generation = 0;  ///< Of the connection; see Outbox.
  };

  void add(Key key, Asker asker);
  std::optional<Asker> take(Key key);
  /// Those of generations before `generation`.
  std::vector<Asker> take_before(std::uint64_t generation);
  std::size_t size() const;

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept {
      return static_cast<std::size_t>(key.number * 0x9e3779b97f4a7c15ULL ^ key.id);
    }
  };

  mutable std::mutex mutex_;
  std::unordered_map<Key, Asker, Hash> askers_;
};

}  // namespace slime::runtime
