#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "actors/system/protocols.hpp"
#include "runtime/cluster/node.hpp"

namespace slime::actors {

class HeadStore;

struct ClusterSettings {
  /// `node.link.self.name` is the member's name; `node.link.listen` where it can be reached.
  runtime::NodeSettings node;
  std::vector<std::string> roles;  ///< What placement may put here.
  /// Where other nodes reach this one; empty: the endpoints it really listens on, made reachable.
  std::vector<runtime::Endpoint> advertise;
  /// How long `join` waits for a head that is not there yet.
  Duration join_within = std::chrono::seconds(60);
  std::string placement = "spread";  ///< How the head's supervisor places actors.
  /// How long a member whose head is lost waits for the head's next process before it ends; its
  /// actors go on meanwhile. A head that left is not waited for.
  Duration head_wait{};
  /// What a head keeps for its next process, and from which it takes up its cluster; must outlive
  /// the node. Null: the cluster ends with the head.
  HeadStore* store = nullptr;
  /// Called at most once, on any thread, when the node must end though nobody asked it to: its
  /// head is dead and did not come back in time (unavailable) or not as itself (not_found,
  /// refused), the cluster declared this very node dead (stale), or a head cannot keep its state
  /// (io_error). Must not block; the caller then stops the node.
  std::function<void(const Error&)> on_end;
};

/// A node of a cluster: the runtime's node with the system actors on it, a member until it leaves.
/// Any thread may call; what blocks says so and must not be called by an actor or from `on_end`.
class ClusterNode {
 public:
  /// Starts a cluster, or takes up the one in `store`: this node holds the membership, the
  /// directory, the state store and the supervisor. Errors: as of `Node::start`; invalid_argument
  /// (no such placement policy).
  static Result<std::unique_ptr<ClusterNode>> start_head(ClusterSettings settings,
                                                         runtime::Catalogue catalogue);
  /// Becomes a member of the cluster whose head listens at `head`. Blocks until it is one, at most
  /// about `join_within`, trying again while the head is not there. Errors: unavailable (no head in
  /// time), refused (another token or cluster), incompatible (another version), already_exists (a
  /// living member has the name), not_found (the head's host name does not resolve), as of
  /// `Node::start`.
  static Result<std::unique_ptr<ClusterNode>> join(ClusterSettings settings,
                                                   const runtime::Endpoint& head,
                                                   runtime::Catalogue catalogue);
  ~ClusterNode();
  ClusterNode(const ClusterNode&) = delete;
  ClusterNode& operator=(const ClusterNode&) = delete;

  runtime::Node& node();
  /// Its own agent, and the system actors of the head.
  NodeAgent agent() const;
  Membership membership() const;
  Directory directory() const;
  Supervisor supervisor() const;

  /// Says goodbye to the cluster, then stops. Blocks as `stop`, and a second more.
  Status leave(const std::string& reason);
  /// Stops without a goodbye: the others declare this node dead, or wait for it if it is the head.
  /// Blocks as `Node::stop`.
  Status stop();

 private:
  class Inside;

  explicit ClusterNode(std::unique_ptr<Inside> inside);

  std::unique_ptr<Inside> inside_;
};

}  // namespace slime::actors
