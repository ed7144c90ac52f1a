#pragma once

#include <cstdio>
#include <string>

#include "actors/system/cluster_node.hpp"

namespace slime::tests {

/// How long a node of a test cluster may be silent before it is declared dead.
inline constexpr Duration dead_after = std::chrono::seconds(3);

/// Settings of one node of a test cluster; it logs to stderr.
inline actors::ClusterSettings cluster_settings(const std::string& name, const std::string& listen,
                                                const std::string& role) {
  actors::ClusterSettings settings;
  settings.node.link.self.name = name;
  settings.node.link.cluster_id = "test";
  settings.node.link.token = "a secret of the tests";
  settings.node.link.listen = {runtime::Endpoint{listen}};
  settings.node.link.dead_after = dead_after;
  settings.node.link.log = [name](LogLevel, const std::string& text) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), text.c_str());
  };
  settings.roles = {role};
  return settings;
}

}  // namespace slime::tests
