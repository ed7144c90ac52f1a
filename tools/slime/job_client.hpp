#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "actors/training/job_names.hpp"
#include "actors/training/protocols.hpp"
#include "tools/slime/cluster_access.hpp"

namespace slime::tools {

/// A part of what a run did, entry by entry.
struct RecordPiece {
  runtime::Message<schema::Record> record;
  /// Told by another coordinator than the piece before: what that one had not told yet is lost.
  bool another = false;
};

/// One job of a cluster, seen from outside. Its coordinator may die and be replaced meanwhile.
/// Confined to one thread; every call blocks for seconds at most.
class JobClient {
 public:
  /// @param name  Of the job. What `cluster` refers to must outlive the client.
  JobClient(const ClusterAccess& cluster, std::string name);

  /// Has the cluster's supervisor run the job's coordinator, in place of one whose job is over.
  /// @param from  What it goes on from, if it resumes; by default the job's newest checkpoint.
  /// Errors: already_exists (a job of that name runs there), those of the supervisor.
  Status submit(const runtime::Message<schema::JobSpec>& job, bool resume,
                const runtime::Message<schema::CheckpointChoice>& from = {});

  /// Takes up a job that somebody else has submitted. Errors: not_found (no job of that name runs
  /// there), those of a call.
  Status attach();

  /// The cluster's head was started again.
  void follow(const ClusterAccess& later) { cluster_.follow(later); }

  /// How the job is, with the events that were not told before. Errors: not_found (no coordinator
  /// now; it may be on its way), those of a call.
  Result<runtime::Message<schema::Progress>> progress();

  /// What the run did since the last piece; there is more when it says so. Errors: not_found (no
  /// coordinator was found yet), those of a call.
  Result<RecordPiece> record();

  /// Why nobody will ever run the job's coordinator again; ok while somebody does.
  Status abandoned();

  /// Asks the job to checkpoint at its next boundary and to stop there.
  Status stop();

  /// Ends the job's actors and forgets it, so that its name is free again; what does not answer is
  /// left to die with its node.
  void end();

  /// Drawn for this submission of the job; zero if it was not submitted here.
  actors::RunId run() const { return run_; }

 private:
  template <class P, class Q>
  auto call(const runtime::Ref<P>& to, const runtime::Message<Q>& question) {
    return cluster_.node.call(to, question, std::chrono::seconds(2));
  }
  std::string coordinator_name() const { return "job/" + name_ + "/coordinator"; }
  Status find_coordinator();
  Status free_name();

  ClusterAccess cluster_;
  std::string name_;
  actors::RunId run_{};
  actors::Coordinator coordinator_;
  ActorAddress last_;             ///< Whose events were told.
  std::uint64_t next_event_ = 0;  ///< Of `last_`.
  ActorAddress recorded_;         ///< Whose entries were told.
  std::uint64_t next_entry_ = 0;  ///< Of `recorded_`.
};

}  // namespace slime::tools
