#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slime::actors {

/// One submission of a job: random, chosen by who submits it, and the same for each coordinator
/// that takes the job over. 0: it was given none.
enum class RunId : std::uint64_t {};

/// What a job's actors are called in the cluster's directory: "job/JOB/RUN/ACTOR", the run in 16
/// hexadecimal digits. So a new coordinator tells the actors of its own run from what another run
/// of that job name has left. Plain data.
class JobNames {
 public:
  JobNames(const std::string& job, RunId run);

  /// What all names of the job begin with, whichever their run.
  const std::string& prefix() const { return prefix_; }
  /// The name of this run's `actor`, such as "shard/0".
  std::string of(const std::string& actor) const { return own_prefix_ + actor; }

  struct Parts {
    bool own = false;   ///< Of this run.
    std::string kind;   ///< "adviser", "checkpointer", "shard", "standby" or "worker".
    std::string which;  ///< "0" of "shard/0".
  };
  /// Takes a name apart; nothing for names that a run's actors do not have, such as the
  /// coordinator's and those of a job whose name goes on where this one's ends.
  std::optional<Parts> parts_of(std::string_view name) const;

 private:
  std::string prefix_;
  std::string own_prefix_;
};

}  // namespace slime::actors
