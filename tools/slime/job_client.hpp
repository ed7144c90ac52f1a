#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "actors/training/protocols.hpp"
#include "tools/slime/cluster_access.hpp"

namespace slime::tools {

/// One job of a cluster, seen from outside. Its coordinator may die and be replaced meanwhile.
/// Confined to one thread; every call blocks for seconds at most.
class JobClient {
 public:
  /// @param name  Of the job. What `cluster` refers to must outlive the client.
  JobClient(const ClusterAccess& cluster, std::string name);

  /// Has the cluster's supervisor run the job's coordinator, in place of one whose job is over.
  /// Errors: already_exists (a job of that name runs there), those of the supervisor.
  Status submit(const runtime::Message<schema::JobSpec>& job, bool resume);

  /// How the job is, with the events that were not told before. Errors: not_found (no coordinator
  /// now; it may be on its way), those of a call.
  Result<runtime::Message<schema::Progress>> progress();

  /// Why nobody will ever run the job's coordinator again; ok while somebody does.
  Status abandoned();

  /// Asks the job to checkpoint at its next boundary and to stop there.
  Status stop();

  /// Ends the job's actors and forgets it, so that its name is free again; what does not answer is
  /// left to die with its node.
  void end();

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
  actors::Coordinator coordinator_;
  ActorAddress last_;             ///< Whose events were told.
  std::uint64_t next_event_ = 0;  ///< Of `last_`.
};

}  // namespace slime::tools
