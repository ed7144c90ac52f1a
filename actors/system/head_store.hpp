#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "actors/system/actor_state_keeper.hpp"
#include "actors/system/state_keeper.hpp"
#include "runtime/base/ids.hpp"
#include "storage/database.hpp"

namespace slime::actors {

/// Who a head is.
struct HeadIdentity {
  NodeId node;                         ///< The same for all of its processes.
  std::uint64_t incarnation = 0;       ///< Of this process.
  std::string token;                   ///< The cluster's secret, if the head drew it.
  std::vector<std::string> endpoints;  ///< Where it, or the process before it, listens.
};

/// A head's state in a folder of its own, which only its owner may enter: who it is, what its
/// system actors keep, and the states of durable actors. One process at a time has it open. The
/// keepers' calls come from any thread, the others from one; all wait for the disk.
class HeadStore final : public StateKeeper, public ActorStateKeeper {
 public:
  /// Opens the folder, or makes it, and reads all of it; from then on the head is a new incarnation
  /// of itself. Nothing of it has been told to anybody by then, so a crash here costs a number.
  /// @param fresh   Who the head is if the folder is new.
  /// @param now_us  Since 1970: how high incarnations are, unless the clock went back.
  /// Errors: already_exists (another process has it open), corruption, incompatible, io_error.
  static Result<std::unique_ptr<HeadStore>> open(const std::filesystem::path& folder, NodeId fresh,
                                                 std::int64_t now_us);

  const HeadIdentity& identity() const { return identity_; }
  /// Whether an earlier process has left something here.
  bool found() const { return found_; }
  /// Errors: io_error.
  Status remember(std::string token, std::vector<std::string> endpoints);
  /// Called with the error of every write that failed, on the writer's thread: the head must end,
  /// because it may tell nobody anything new. Set before anybody writes.
  void on_failure(std::function<void(const Error&)> failed) { failed_ = std::move(failed); }

  Status write(std::span<const KeptChange> changes) override;
  Status visit(std::string_view prefix,
               const std::function<void(std::string_view key, const runtime::Words& state)>& use)
      const override;

  Status put(std::span<const storage::StateChange> changes) override;
  Result<storage::StoredState> get(std::string_view name) const override;

 private:
  explicit HeadStore(std::unique_ptr<storage::Database> database);
  Status begin(NodeId fresh, std::int64_t now_us);
  Status keep_identity();
  Status told(const Status& written) const;

  mutable std::mutex mutex_;  // Guards `database_`.
  std::unique_ptr<storage::Database> database_;
  HeadIdentity identity_;
  bool found_ = false;
  std::function<void(const Error&)> failed_;
};

}  // namespace slime::actors
