#pragma once

#include <capnp/serialize.h>

#include <memory>
#include <span>
#include <utility>

#include "runtime/link/outbox.hpp"
#include "runtime/wire/message.hpp"
#include "schemas/link.capnp.h"

namespace slime::runtime {

/// A control frame that `fill` fills, ready for `Peer::send`, which accepts it whatever waits.
/// @param system  Whether it overtakes messages.
template <class Fill>
std::unique_ptr<Outgoing> control_frame(bool system, Fill&& fill) {
  auto item = std::make_unique<Outgoing>();
  item->kind = FrameKind::control;
  item->system = system;
  item->refusable = false;
  item->body = Message<schema::LinkControl>::make(std::forward<Fill>(fill), 32).words();
  return item;
}

}  // namespace slime::runtime
