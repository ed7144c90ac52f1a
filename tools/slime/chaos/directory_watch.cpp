#include "tools/slime/chaos/directory_watch.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include "runtime/wire/address.hpp"

namespace slime::tools {

using namespace std::chrono_literals;
using runtime::Message;

namespace {

constexpr auto look_interval = 50ms;
constexpr Duration answer_within = 1s;

}  // namespace

DirectoryWatch::DirectoryWatch(std::string head, std::string token)
    : head_(std::move(head)), token_(std::move(token)), thread_([this] { run(); }) {}

DirectoryWatch::~DirectoryWatch() {
  if (thread_.joinable()) static_cast<void>(stop());
}

DirectoryHistory DirectoryWatch::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  ending_.notify_all();
  thread_.join();
  return std::move(history_);
}

void DirectoryWatch::run() {
  std::unique_ptr<ClusterClient> client;
  while (!ends()) {
    if (!client) {
      // The head may not be there yet, or not any more.
      auto made = ClusterClient::connect({head_}, token_, [](LogLevel, const std::string&) {});
      if (made) client = std::move(*made);
      continue;
    }
    // A head that was started again is another process, with which a client begins anew.
    if (!look(client->access()) && !client->look_again()) client.reset();
  }
}

Status DirectoryWatch::look(const ClusterAccess& cluster) {
  const auto names =
      cluster.node.call(cluster.directory, Message<schema::ListNames>::make(), answer_within);
  if (!names) return names.error();
  std::vector<DirectoryHistory::Binding> bindings;
  names->read([&bindings](schema::Names::Reader read) {
    for (const auto binding : read.getNames())
      bindings.emplace_back(binding.getName().cStr(), runtime::read_address(binding.getAddress()));
  });
  history_.saw(bindings);
  return ok();
}

bool DirectoryWatch::ends() {
  std::unique_lock lock(mutex_);
  return ending_.wait_for(lock, look_interval, [this] { return stopping_; });
}

}  // namespace slime::tools
