#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/training/checkpoint_round.hpp"
#include "actors/training/copy_round.hpp"
#include "actors/training/evaluation_round.hpp"
#include "actors/training/lead_time.hpp"
#include "runtime/wire/message.hpp"
#include "schemas/training.capnp.h"
#include "trainer/sync/work_ledger.hpp"

namespace slime::actors {

/// What a coordinator knows of where its job stands: leases, boundaries, evaluations and
/// checkpoints. Plain data, the coordinator's alone.
struct CoordinatorBooks {
  template <class T>
  using Message = runtime::Message<T>;

  std::optional<trainer::WorkLedger> ledger_;
  std::vector<trainer::GroupId> last_commit_;  ///< Of the iteration before the frontier.
  std::map<WorkerId, std::uint32_t> slack_;
  std::map<WorkerId, trainer::WorkerPace> paces_;
  std::map<WorkerId, std::uint32_t> next_shares_;
  Message<schema::Loads> loads_;  ///< The newest.
  LeadTime commit_time_;          ///< Of the shards' answers to a commit.

  std::uint64_t boundary_ = 0;  ///< Iteration at which leases stop.
  bool at_boundary_ = false;
  std::uint64_t planned_from_ = 0;  ///< Boundaries are looked for beyond this iteration.
  bool save_wanted_ = false;        ///< Beside what is due by iterations.
  bool save_late_ = false;          ///< One is due as soon as the present one is over.
  bool stop_wanted_ = false;
  int last_saves_tried_ = 0;  ///< At this boundary, before the job ends.
  std::string save_failure_;  ///< Why the newest checkpoint that failed did so.
  std::optional<EvaluationRound> evaluation_;
  std::uint64_t evaluation_number_ = 0;
  std::uint64_t checkpoint_attempts_ = 0;
  std::optional<CheckpointRound> checkpoint_;
  std::optional<Message<schema::CheckpointManifest>> manifest_;  ///< What a rollback goes back to.
  std::string restore_from_;  ///< Directory that has it; empty: the job's own.
  /// It lies elsewhere or is no newest one of the job, and the run has saved none yet.
  bool branches_ = false;
  bool fell_back_ = false;  ///< It was the newest of the job, and what is left of it is a copy.
  CopyRound copy_;
  int unread_tries_ = 0;  ///< At checkpoints that could not be read at the moment.
  Message<schema::Filters> saved_filters_;  ///< Of that checkpoint.
};

}  // namespace slime::actors
