#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/error.hpp"
#include "runtime/supervision/restart_policy.hpp"
#include "tools/slime/local_cluster.hpp"

namespace slime::tools {

/// A cluster as operators keep one, on this machine: a head with a durable state and a node for
/// each worker and shard, processes of their own on Unix sockets, each of which is started again
/// with the same name, address and state whenever it ends. They die with this process. Confined to
/// one thread.
class DurableCluster {
 public:
  struct Settings {
    std::string program = "/proc/self/exe";
    std::filesystem::path folder;          ///< There; takes the head's state and the logs.
    std::filesystem::path private_folder;  ///< There, with a short path; for sockets and session.
    std::uint32_t workers = 1;
    std::uint32_t shards = 1;
  };

  /// How it starts processes again: never gives one up, and seldom waits long, for a node can join
  /// only once the one before it of its name was declared dead.
  static constexpr runtime::RestartLimits restart{.restarts_max = runtime::RestartLimits::unlimited,
                                                  .window = std::chrono::seconds(5),
                                                  .backoff = std::chrono::milliseconds(200),
                                                  .backoff_max = std::chrono::seconds(1)};

  /// Returns once the processes run; they join later. Errors: io_error.
  static Result<std::unique_ptr<DurableCluster>> start(const Settings& settings);

  /// What tells `slime train` where it is.
  std::vector<std::string> train_arguments() const;
  /// Where its members record themselves.
  std::filesystem::path session() const { return private_folder_ / "session"; }
  /// Where its head listens, and the secret that opens it.
  std::string place() const { return place_of("head"); }
  const std::string& token() const { return token_; }
  /// How many processes it has.
  std::size_t size() const { return size_; }

  /// Ends all processes, killing what is left after `grace`. Blocks meanwhile.
  void stop(Duration grace) { processes_->stop(grace); }

 private:
  explicit DurableCluster(std::filesystem::path private_folder);

  std::string place_of(const std::string& name) const {
    return "unix:" + (private_folder_ / name).string();
  }
  ChildSpec head(const Settings& settings) const;
  ChildSpec node(const std::string& name, const std::string& role, const Settings& settings) const;

  std::filesystem::path private_folder_;
  std::string token_;
  std::size_t size_ = 0;
  std::unique_ptr<LocalCluster> processes_;
};

}  // namespace slime::tools
