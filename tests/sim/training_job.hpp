#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/training/job_names.hpp"
#include "actors/training/protocols.hpp"
#include "actors/training/types.hpp"
#include "tests/support/temp_dir.hpp"
#include "tools/slime/simulation/supervised_cluster.hpp"

namespace slime::tests {

/// A small job on real files, and the simulated cluster that trains it.
class TrainingJob {
 public:
  struct Settings {
    std::string mode = "bsp";
    std::string policy = "adapt_fr";
    std::uint32_t workers = 3;
    std::uint32_t shards = 2;
    std::uint32_t epochs = 2;
    std::uint32_t batch = 24;
    std::uint32_t block = 4;
    std::uint32_t staleness_max = 3;
    bool reproducible = true;
    bool reassign = true;
    double learning_rate = 0.1;
    schema::Schedule schedule = schema::Schedule::CONSTANT;
    std::uint64_t checkpoint_every = 0;  ///< 0: no checkpoints.
    std::vector<double> speeds{1, 1, 0.25};
    bool resume = false;
    std::uint64_t seed = 3;  ///< The job's.
    schema::Device device = schema::Device::AUTO;
    std::string directory = "checkpoints";  ///< Of its stores, in the folder of its files.
    runtime::Message<schema::CheckpointChoice> from{};
    std::uint32_t keep = 3;
    std::uint32_t keep_best = 0;
    std::uint64_t keep_every = 0;
    std::uint64_t evaluate_every = 0;  ///< 0: at the end of each epoch.
    /// Changes whatever else the job says, last of all.
    std::function<void(schema::JobSpec::Builder)> adjust{};
  };

  /// @param catalogue  What its nodes can run.
  TrainingJob(std::uint64_t seed, const runtime::LinkModel& link, const Settings& settings,
              const TempDir& files, runtime::Catalogue catalogue = actors::training_types());

  tools::SupervisedCluster& cluster() { return cluster_; }
  runtime::Simulation& simulation() { return cluster_.simulation(); }
  const std::vector<NodeId>& nodes() const { return nodes_; }

  /// Kills a node and starts one of the same name and roles in its place.
  void replace_node(std::size_t index);

  /// Ends the coordinator, and no other one follows it: as when it was given up.
  void abandon();
  /// Ends the coordinator; another one takes the job over.
  void kill_coordinator();
  /// Submits the job again, as a run of its own, on the same cluster.
  void submit(const Settings& settings);

  /// Runs until the job has ended or `limit` of virtual time has passed, and returns what the
  /// coordinator says then; nothing if it never answered.
  std::optional<runtime::Message<schema::Progress>> run(Duration limit);

  /// Address of the run's actor of that name in the directory, such as "coordinator", "shard/0".
  std::optional<ActorAddress> find(const std::string& name);

 private:
  runtime::Message<schema::CoordinatorSpec> spec() const;
  std::string node_name(std::size_t index) const;

  Settings settings_;
  const TempDir& files_;
  actors::RunId run_{};
  tools::SupervisedCluster cluster_;
  std::vector<NodeId> nodes_;  ///< Workers', then shards'.
};

/// How many of the events that are told say `part`.
unsigned told(const runtime::Message<schema::Progress>& progress, std::string_view part);

/// Writes training and test sets as idx files into `files`: 103 and 20 samples of 2 x 2 values in
/// three classes.
void write_small_data(const TempDir& files);

/// A folder with just these.
struct SmallData : TempDir {
  SmallData() { write_small_data(*this); }
};

}  // namespace slime::tests
