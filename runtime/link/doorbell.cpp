#include "runtime/link/doorbell.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <exception>
#include <system_error>
#include <utility>

namespace slime::runtime {

Doorbell::Doorbell() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "making an eventfd");
}

Doorbell::~Doorbell() {
  ::close(fd_);
}

void Doorbell::post(std::function<void()> work) {
  auto node = std::make_unique<Work>();
  node->run = std::move(work);
  if (!queue_.push(std::move(node))) return;
  const std::uint64_t one = 1;
  // Fails only when the counter is full, and then the bell is ringing already.
  [[maybe_unused]] const ssize_t written = ::write(fd_, &one, sizeof one);
}

void Doorbell::run_posted(const std::function<void(const char*)>& failed) {
  std::uint64_t rung = 0;
  // Before the queue is emptied: what is pushed afterwards rings again.
  [[maybe_unused]] const ssize_t read = ::read(fd_, &rung, sizeof rung);
  queue_.take_all([&failed](std::unique_ptr<Work> work) {
    try {
      work->run();
    } catch (const std::exception& exception) {
      failed(exception.what());
    } catch (...) {
      failed("something that is not an exception was thrown");
    }
  });
}

}  // namespace slime::runtime
