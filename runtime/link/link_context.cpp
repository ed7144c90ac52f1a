#include "runtime/link/link_context.hpp"

#include <caf/actor_control_block.hpp>

#include "runtime/link/peer.hpp"

namespace slime::runtime {

caf::strong_actor_ptr actor_at(const std::shared_ptr<LinkContext>& context,
                               const ActorAddress& address) {
  const PeerIdentity& self = context->settings.self;
  if (address.node != self.node)
    return context->peers.at(context, address.node, address.incarnation)->proxy(address.number);
  if (address.incarnation == self.incarnation)
    if (auto actor = context->locals.find(address.number)) return actor;
  const auto gone = std::make_shared<Peer>(context, address.node, address.incarnation);
  gone->die({Errc::not_found, "it is not on this node any more", wall_clock_us()});
  return gone->proxy(address.number);
}

}  // namespace slime::runtime
