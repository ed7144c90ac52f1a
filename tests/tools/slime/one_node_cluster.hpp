#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/system/cluster_node.hpp"
#include "actors/training/types.hpp"
#include "tests/support/temp_dir.hpp"
#include "tools/slime/cluster_access.hpp"

namespace slime::tests {

/// A head in this process that can run everything a job needs.
struct OneNodeCluster : TempDir {
  explicit OneNodeCluster(std::vector<std::string> roles = {"head", "worker", "shard"}) {
    actors::ClusterSettings settings;
    settings.node.link.self.name = "head";
    settings.node.link.cluster_id = tools::cluster_id;
    settings.node.link.token = token;
    settings.node.link.listen = {endpoint};
    settings.roles = std::move(roles);
    head = actors::ClusterNode::start_head(std::move(settings), actors::training_types()).value();
  }

  tools::ClusterAccess access() const {
    return {head->node(), head->membership(), head->directory(), head->supervisor()};
  }

  const std::string token = "a secret of the tests";
  const runtime::Endpoint endpoint{"unix:" + (path() / "head").string()};
  std::unique_ptr<actors::ClusterNode> head;
};

}  // namespace slime::tests
