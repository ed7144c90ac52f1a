#include "runtime/link/credit_account.hpp"

#include "runtime/link/control.hpp"

namespace slime::runtime {

CreditAccount::CreditAccount(const std::shared_ptr<Peer>& peer, std::size_t credit_bytes)
    : peer_(peer), generation_(peer->outbox().generation()), lot_(credit_bytes / 8) {}

void CreditAccount::give_back(std::size_t bytes) {
  if (returned_.fetch_add(bytes) + bytes < lot_) return;
  const std::size_t lot = returned_.exchange(0);
  const auto peer = peer_.lock();
  if (lot == 0 || !peer) return;
  auto item = control_frame(true, [&](schema::LinkControl::Builder out) { out.setCredit(lot); });
  item->generation = generation_;
  // Refused only when the peer is dead; on another connection than its own it is discarded, for
  // there the credit begins anew.
  (void)peer->send_on(std::move(item));
}

}  // namespace slime::runtime
