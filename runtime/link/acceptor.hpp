#pragma once

#include <kj/async-io.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/error.hpp"
#include "runtime/link/handshake.hpp"
#include "runtime/link/link_context.hpp"
#include "runtime/link/listener.hpp"
#include "runtime/link/opening.hpp"

namespace slime::runtime {

/// Decides on and takes over the connections that an `Acceptor` has checked.
class Admission {
 public:
  virtual ~Admission() = default;

  /// What to answer: the session's number, 0 for "duplicate", or why it is refused.
  virtual Result<std::uint64_t> decide(const Hello& hello) = 0;
  /// The answer is on its way; the stream is theirs who decided.
  virtual void accepted(const Hello& hello, std::uint64_t session,
                        kj::Own<kj::AsyncIoStream> stream) = 0;
  /// Connections there are.
  virtual std::size_t connections() const = 0;
};

/// Takes connections in and checks who is there. What is not one of us costs one log line and no
/// memory worth mentioning. Link's thread only.
class Acceptor final : private kj::TaskSet::ErrorHandler {
 public:
  Acceptor(std::shared_ptr<LinkContext> context, kj::AsyncIoContext& io, Admission& admission);

  /// `listener` outlives the acceptor.
  void serve(const Listener& listener);

 private:
  kj::Promise<void> accept_loop(kj::ConnectionReceiver& receiver);
  kj::Promise<void> greet(kj::Own<kj::AsyncIoStream> stream);
  kj::Promise<void> answer(kj::Own<kj::AsyncIoStream> stream, Result<Opening> opening);
  kj::Promise<void> refuse(kj::Own<kj::AsyncIoStream> stream, Words last_words, const Error& why);
  void taskFailed(kj::Exception&& exception) override;

  const std::shared_ptr<LinkContext> context_;
  kj::AsyncIoContext& io_;
  Admission& admission_;
  std::size_t greeting_ = 0;
  std::vector<kj::Own<kj::ConnectionReceiver>> receivers_;
  kj::TaskSet tasks_;
};

}  // namespace slime::runtime
