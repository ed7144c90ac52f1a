#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "actors/system/protocols.hpp"
#include "runtime/cluster/node.hpp"
#include "tools/slime/node_log.hpp"

namespace slime::tools {

/// All nodes that the commands start are of this cluster; the token tells clusters apart.
inline constexpr std::string_view cluster_id = "slime";

/// The doors of a cluster, for whoever is no actor of it. `node` must outlive it.
struct ClusterAccess {
  runtime::Node& node;
  actors::Membership membership;
  actors::Directory directory;
  actors::Supervisor supervisor;

  /// The same cluster where its head is now.
  void follow(const ClusterAccess& later) {
    membership = later.membership;
    directory = later.directory;
    supervisor = later.supervisor;
  }
};

/// Where people say a node is: "tcp:HOST:PORT", "unix:/PATH" or, for short, "HOST:PORT".
runtime::Endpoint endpoint_of(std::string_view text);

/// Speaks to a cluster without being a member of it: runs no actors, and nobody dials it.
class ClusterClient {
 public:
  /// Blocks for a few seconds at most. Errors: unavailable (nobody there), refused (another token
  /// or cluster), incompatible (another version), not_found (the node there is not the head),
  /// invalid_argument.
  static Result<std::unique_ptr<ClusterClient>> connect(const runtime::Endpoint& head,
                                                        const std::string& token, NodeLog log);
  ~ClusterClient();
  ClusterClient(const ClusterClient&) = delete;
  ClusterClient& operator=(const ClusterClient&) = delete;

  /// Valid as long as this object.
  ClusterAccess access() const;

  /// Where the doors are now, for the head may have been started again. Blocks for a few seconds at
  /// most. Errors: as of `connect`; not_found (another head is there).
  Result<ClusterAccess> look_again();

 private:
  class Events;

  ClusterClient(std::unique_ptr<Events> events, std::unique_ptr<runtime::Node> node,
                runtime::Endpoint place, runtime::PeerIdentity head);

  std::unique_ptr<Events> events_;  // Outlives the node, which calls it.
  std::unique_ptr<runtime::Node> node_;
  runtime::Endpoint place_;  // Of the head.
  runtime::PeerIdentity head_;
};

}  // namespace slime::tools
