#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "actors/system/cluster_node.hpp"
#include "schemas/job.capnp.h"
#include "tools/slime/cluster_access.hpp"
#include "tools/slime/local_cluster.hpp"
#include "tools/slime/run_folder.hpp"

namespace slime::tools {

/// A cluster for one run on this machine: its head in this process, and a child process for each
/// worker and shard, all on Unix sockets in a private folder. Children that die are started again
/// and join as new members. None outlives this process.
class LocalRun {
 public:
  /// Of the node with the manifests of checkpoints.
  static constexpr const char* head_name = "head";

  struct Settings {
    std::uint32_t workers = 1;
    std::uint32_t shards = 1;
    std::filesystem::path log_directory;  ///< Of all processes; empty: gone with the run.
    std::string program = "/proc/self/exe";
    /// A signal that reaches the children too leaves this process so long to end them in order.
    Duration end_within = std::chrono::seconds(60);
    runtime::RestartLimits restart{};
  };

  /// How many processes a job's shards want: as many as there are of them, and two at least where
  /// they have standbys.
  static std::uint32_t shard_processes(schema::JobSpec::Reader job);

  /// Returns once the head is up and the children run; they join later. Blocks meanwhile.
  /// Errors: io_error, those of `ClusterNode::start_head`.
  static Result<std::unique_ptr<LocalRun>> start(const Settings& settings,
                                                 const Environment& environment);
  /// Kills the children and stops the head.
  ~LocalRun();
  LocalRun(const LocalRun&) = delete;
  LocalRun& operator=(const LocalRun&) = delete;

  /// Valid until `stop`.
  ClusterAccess access() const;
  std::vector<ChildState> children() const { return children_->children(); }

  /// What happened to children since the last call, as text for people, or why the run cannot go
  /// on: a child failed and will not be started again. Any thread.
  Result<std::vector<std::string>> news();

  /// Whether every child is a member by now. One that is not keeps the others from spreading.
  bool complete() const;

  /// Ends the children, killing what is left after `grace`, then the head. Blocks meanwhile.
  void stop(Duration grace);

 private:
  LocalRun(RunFolder folder, const Settings& settings);

  Status start_head();
  Status start_children(const Settings& settings);
  ChildSpec child(const std::string& name, const std::string& role, const Settings& settings) const;
  void ended(const ChildEvent& event);
  void declare_dead(pid_t pid, const std::string& why);
  std::string last_words(const std::string& child) const;

  RunFolder folder_;
  std::filesystem::path log_directory_;
  std::string token_;
  NodeLog log_;
  std::unique_ptr<actors::ClusterNode> head_;
  std::mutex mutex_;
  std::vector<std::string> news_;           ///< Guarded.
  Status failure_ = ok();                   ///< Guarded.
  std::unique_ptr<LocalCluster> children_;  // Last, for it calls `ended` on its own thread.
};

}  // namespace slime::tools
