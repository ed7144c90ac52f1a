#include "tools/slime/chaos/simulated/failing_disk.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "actors/system/checkpointer.hpp"
#include "runtime/actor/failure.hpp"

namespace slime::tools {

namespace {

bool writes(std::uint64_t type) {
  return type == runtime::type_id<schema::WritePart>() ||
         type == runtime::type_id<schema::CommitCheckpoint>();
}

class OnFailingDisk final : public runtime::Behaviour {
 public:
  OnFailingDisk(std::unique_ptr<runtime::Behaviour> inner, runtime::Host& host,
                const FailingDisk& disk, std::string node)
      : inner_(std::move(inner)), host_(host), disk_(disk), node_(std::move(node)) {}

  void started() noexcept override { inner_->started(); }
  void received(const ActorAddress& sender, std::uint64_t request,
                const runtime::AnyMessage& message) noexcept override {
    if (request == 0 || !writes(message.type) || !disk_.full(node_))
      return inner_->received(sender, request, message);
    host_.answer(request,
                 runtime::to_failure(Error{
                     Errc::io_error, "writing to the store of " + node_ + ": no space left"}));
  }
  void answered(std::uint64_t ask, const runtime::AnyMessage& message) noexcept override {
    inner_->answered(ask, message);
  }
  void timer_fired(std::uint64_t timer) noexcept override { inner_->timer_fired(timer); }
  void down(const ActorAddress& target, const runtime::AnyMessage& failure) noexcept override {
    inner_->down(target, failure);
  }
  void stopping(const runtime::AnyMessage& reason) noexcept override { inner_->stopping(reason); }

 private:
  std::unique_ptr<runtime::Behaviour> inner_;
  runtime::Host& host_;
  const FailingDisk& disk_;
  std::string node_;
};

}  // namespace

runtime::Catalogue FailingDisk::under(runtime::Catalogue catalogue) {
  const auto checkpointer = std::ranges::find(catalogue, "checkpointer", &runtime::ActorType::name);
  checkpointer->make = [this, usual = checkpointer->make](
                           runtime::Host& host,
                           const runtime::AnyMessage& spec) -> std::unique_ptr<runtime::Behaviour> {
    auto inner = usual(host, spec);
    std::string node = runtime::Message<schema::CheckpointerSpec>::from(spec).value().read(
        [](auto read) { return std::string(read.getNode().cStr()); });
    return std::make_unique<OnFailingDisk>(std::move(inner), host, *this, std::move(node));
  };
  return catalogue;
}

}  // namespace slime::tools
