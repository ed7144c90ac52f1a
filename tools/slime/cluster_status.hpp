#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/slime/cluster_access.hpp"

namespace slime::tools {

/// What a head knows of its cluster, at one moment.
struct ClusterStatus {
  struct Member {
    std::string name;
    std::string state;  ///< "alive", "suspect", "dead", "left".
    std::string reason;
    std::vector<std::string> roles;
    std::vector<std::string> endpoints;
    std::uint32_t pid = 0;
  };
  struct Actor {
    std::string name;
    std::string state;
    std::string member;  ///< Where it runs.
    std::string reason;  ///< Of its last death.
    std::uint32_t restarts = 0;
  };
  struct Job {
    std::string name;
    std::string state;  ///< "starting", "training", "finished", "failed", "stopped".
    std::string failure;
    std::uint64_t iteration = 0;
    std::uint64_t iterations = 0;
    double test_accuracy = 0;  ///< NaN: not measured.
    std::uint32_t rollbacks = 0;
    std::uint32_t standbys = 0;   ///< Shards that could lose their process and nothing else.
    std::uint32_t takeovers = 0;  ///< Of shards by standbys, under the present coordinator.
    std::uint64_t refused_pushes = 0;
  };
  std::vector<Member> members;
  std::vector<Actor> actors;
  std::vector<Job> jobs;
};

/// Asks the head and each job's coordinator. Blocks for seconds at most. A job whose coordinator
/// does not answer is listed with that as its failure. Errors: those of a call to the head.
Result<ClusterStatus> read_status(const ClusterAccess& cluster);

std::string status_text(const ClusterStatus& status);
/// One JSON object in one line: {"ok":true,"members":[…],"actors":[…],"jobs":[…]}.
std::string status_json(const ClusterStatus& status);

}  // namespace slime::tools
