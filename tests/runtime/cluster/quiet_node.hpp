#pragma once

#include <memory>
#include <string_view>

#include "runtime/cluster/node.hpp"
#include "tests/cluster/probe.hpp"

namespace slime::tests {

struct NoEvents final : runtime::PeerEvents {
  void peer_up(const runtime::PeerIdentity&) override {}
  void peer_suspect(const runtime::PeerIdentity&, Duration) override {}
  void peer_down(const runtime::PeerIdentity&, const runtime::Death&) override {}
};

inline bool has(const Error& error, std::string_view part) {
  return error.context.find(part) != std::string::npos;
}

/// A node that listens nowhere, with probes in its catalogue.
struct QuietNode {
  explicit QuietNode(runtime::NodeSettings settings = {}) {
    node = std::move(runtime::Node::start(std::move(settings),
                                          {Probe::type(), Probe::blocking_type()}, events))
               .value();
  }

  /// Spawns a probe.
  ProbeRef probe(std::string_view type = "probe") {
    return ProbeRef{node->spawn(type, probe_spec().any()).value()};
  }

  Result<runtime::Message<schema::Said>> call(const ProbeRef& to,
                                              const runtime::Message<schema::Say>& message) {
    return node->call(to, message, std::chrono::seconds(5));
  }
  /// Waits until `to` has handled everything sent to it before, and says how much that was.
  std::uint32_t settle(const ProbeRef& to) {
    return call(to, say("settle")).value().read([](auto root) { return root.getCount(); });
  }

  NoEvents events;
  std::unique_ptr<runtime::Node> node;
};

}  // namespace slime::tests
