#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "runtime/link/peer.hpp"

namespace slime::runtime {

/// What one connection has delivered and not yet handed back as credit. Any thread.
class CreditAccount {
 public:
  /// @param credit_bytes  What the peer may have in flight towards us.
  CreditAccount(const std::shared_ptr<Peer>& peer, std::size_t credit_bytes);

  /// The handler of a message is done. Credit goes back in lots of an eighth of the window.
  void give_back(std::size_t bytes);

 private:
  const std::weak_ptr<Peer> peer_;
  const std::uint64_t generation_;
  const std::size_t lot_;
  std::atomic<std::size_t> returned_{0};
};

/// Owes a connection the credit of one message, and pays when it is destroyed.
class CreditDebt {
 public:
  CreditDebt() = default;
  CreditDebt(std::shared_ptr<CreditAccount> account, std::size_t bytes)
      : account_(std::move(account)), bytes_(bytes) {}
  CreditDebt(CreditDebt&&) = default;
  CreditDebt& operator=(CreditDebt&&) = delete;
  ~CreditDebt() {
    if (account_) account_->give_back(bytes_);
  }

 private:
  std::shared_ptr<CreditAccount> account_;
  std::size_t bytes_ = 0;
};

}  // namespace slime::runtime
