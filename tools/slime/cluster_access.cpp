#include "tools/slime/cluster_access.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

namespace slime::tools {

namespace {

constexpr Duration connect_within = std::chrono::seconds(3);
constexpr Duration answer_within = std::chrono::seconds(2);

}  // namespace

runtime::Endpoint endpoint_of(std::string_view text) {
  const bool complete = text.starts_with("tcp:") || text.starts_with("unix:");
  return {complete ? std::string(text) : "tcp:" + std::string(text)};
}

/// What happens to the link shows in the calls over it.
class ClusterClient::Events final : public runtime::PeerEvents {
 public:
  void peer_up(const runtime::PeerIdentity&) override {}
  void peer_suspect(const runtime::PeerIdentity&, Duration) override {}
  void peer_down(const runtime::PeerIdentity&, const runtime::Death&) override {}
};

Result<std::unique_ptr<ClusterClient>> ClusterClient::connect(const runtime::Endpoint& head,
                                                              const std::string& token,
                                                              NodeLog log) {
  const auto failed = [&head](const Error& why) {
    return Error{why.code,
                 fmt::format("speaking to the cluster at {}: {}", head.text, why.context)};
  };
  runtime::NodeSettings settings;
  settings.link.self.name = fmt::format("client-{}", ::getpid());
  settings.link.cluster_id = cluster_id;
  settings.link.token = token;
  settings.link.log = std::move(log);
  auto events = std::make_unique<Events>();
  auto node = runtime::Node::start(std::move(settings), {}, *events);
  if (!node) return failed(node.error());
  const auto peer = (*node)->connect(head, connect_within);
  // That nobody listens there is as good as dead for whoever asks once.
  if (!peer && peer.error().code == Errc::not_found)
    return failed({Errc::unavailable, peer.error().context});
  if (!peer) return failed(peer.error());
  std::unique_ptr<ClusterClient> client(
      new ClusterClient(std::move(events), std::move(*node), head, *peer));
  const ClusterAccess access = client->access();
  const auto members = access.node.call(
      access.membership, runtime::Message<schema::GetMembers>::make(), answer_within);
  if (!members)
    return failed(
        {members.error().code == Errc::unavailable ? Errc::not_found : members.error().code,
         "the node there, " + peer->name +
             ", does not answer as a head: " + members.error().context});
  return client;
}

ClusterClient::ClusterClient(std::unique_ptr<Events> events, std::unique_ptr<runtime::Node> node,
                             runtime::Endpoint place, runtime::PeerIdentity head)
    : events_(std::move(events)),
      node_(std::move(node)),
      place_(std::move(place)),
      head_(std::move(head)) {}

ClusterClient::~ClusterClient() = default;

Result<ClusterAccess> ClusterClient::look_again() {
  const auto failed = [this](Errc code, std::string_view why) {
    return Error{code, fmt::format("speaking to the cluster at {}: {}", place_.text, why)};
  };
  const auto peer = node_->connect(place_, connect_within);
  if (!peer && peer.error().code == Errc::not_found)
    return failed(Errc::unavailable, peer.error().context);
  if (!peer) return failed(peer.error().code, peer.error().context);
  if (peer->node != head_.node)
    return failed(Errc::not_found,
                  "another head is there, which knows nothing of it; only a head with the same "
                  "--state DIR takes it up");
  head_ = *peer;
  return access();
}

ClusterAccess ClusterClient::access() const {
  const auto at_head = [this](std::uint64_t number) {
    return ActorAddress{head_.node, head_.incarnation, number};
  };
  return {*node_,
          {at_head(actors::membership_number)},
          {at_head(actors::directory_number)},
          {at_head(actors::supervisor_number)}};
}

}  // namespace slime::tools
