#include "actors/system/directory.hpp"

#include <utility>
#include <vector>

#include "runtime/wire/address.hpp"

namespace slime::actors {

using runtime::Message;
using runtime::Reply;

namespace {

constexpr std::string_view kept_prefix = "directory/";
constexpr Duration forget_within = std::chrono::seconds(1);

std::string kept_key(const std::string& name) {
  return std::string(kept_prefix) + name;
}

}  // namespace

DirectoryActor::DirectoryActor(runtime::Host& host, StateKeeper* keeper)
    : Actor(host), keeper_(keeper) {
  on(&DirectoryActor::bind);
  on(&DirectoryActor::look_up);
  on(&DirectoryActor::list);
}

void DirectoryActor::on_start() {
  if (!keeper_) return;
  const Status visited =
      keeper_->visit(kept_prefix, [this](std::string_view, const runtime::Words& words) {
        Message<schema::Register>::adopt(words).read([this](schema::Register::Reader root) {
          bindings_.emplace(root.getName().cStr(), runtime::read_address(root.getAddress()));
        });
      });
  if (!visited) return stop(visited.error());
  std::erase_if(bindings_, [this](const auto& binding) {
    // It died with an earlier process of this node.
    const ActorAddress& address = binding.second;
    const bool dead = address.node == self().node && address.incarnation != self().incarnation;
    if (dead) forget_later(binding.first);
    return dead;
  });
  for (const auto& [name, address] : bindings_) watch_once(address);
}

void DirectoryActor::on_down(const ActorAddress& target, const Error&) {
  watched_.erase(target);
  std::erase_if(bindings_, [&](const auto& binding) {
    if (binding.second != target) return false;
    forget_later(binding.first);
    return true;
  });
}

void DirectoryActor::watch_once(const ActorAddress& address) {
  if (watched_.insert(address).second) watch(runtime::Ref<runtime::Protocol<>>{address});
}

Status DirectoryActor::keep(const KeptChange& change) {
  if (!keeper_) return ok();
  const Status kept = keeper_->write({&change, 1});
  if (!kept) stop(kept.error());
  return kept;
}

void DirectoryActor::forget_later(const std::string& name) {
  if (!keeper_) return;
  // Until then a later process would find out itself that the actor is gone.
  if (gone_.empty()) after(forget_within, [this] { forget(); });
  gone_.push_back(name);
}

void DirectoryActor::forget() {
  std::vector<KeptChange> changes;
  for (const std::string& name : std::exchange(gone_, {}))
    if (!bindings_.contains(name)) changes.push_back({kept_key(name), {}});
  if (const Status kept = keeper_->write(changes); !kept) stop(kept.error());
}

void DirectoryActor::bind(const Message<schema::Register>& message,
                          Reply<schema::Registered> reply) {
  message.read([&](schema::Register::Reader root) {
    const std::string name = root.getName();
    const ActorAddress address = runtime::read_address(root.getAddress());
    if (name.empty() || !address)
      return reply.fail(Error{Errc::invalid_argument,
                              "registering \"" + name + "\": it needs a name and an address"});
    const auto known = bindings_.find(name);
    const bool same = known != bindings_.end() && known->second == address;
    if (known != bindings_.end() && !same && !root.getReplace())
      return reply.fail(Error{
          Errc::already_exists,
          "registering " + name + ": the name is bound to actor " + to_string(known->second)});
    if (!same)
      if (const Status kept = keep({kept_key(name), message.words()}); !kept)
        return reply.fail(kept.error());
    bindings_.insert_or_assign(name, address);
    watch_once(address);
    reply.send(Message<schema::Registered>::make());
  });
}

void DirectoryActor::look_up(const Message<schema::Lookup>& message, Reply<schema::Found> reply) {
  const std::string name =
      message.read([](schema::Lookup::Reader root) { return std::string(root.getName()); });
  const auto found = bindings_.find(name);
  if (found == bindings_.end())
    return reply.fail(Error{Errc::not_found, "looking up " + name + ": no living actor has it"});
  reply.send(Message<schema::Found>::make([&](schema::Found::Builder root) {
    runtime::write_address(root.initAddress(), found->second);
  }));
}

void DirectoryActor::list(const Message<schema::ListNames>& message, Reply<schema::Names> reply) {
  const std::string prefix =
      message.read([](schema::ListNames::Reader root) { return std::string(root.getPrefix()); });
  std::vector<std::pair<std::string, ActorAddress>> found;
  for (auto at = bindings_.lower_bound(prefix);
       at != bindings_.end() && at->first.starts_with(prefix); ++at)
    found.emplace_back(*at);
  reply.send(Message<schema::Names>::make([&](schema::Names::Builder root) {
    auto names = root.initNames(static_cast<unsigned>(found.size()));
    for (unsigned i = 0; i < names.size(); ++i) {
      names[i].setName(found[i].first);
      runtime::write_address(names[i].initAddress(), found[i].second);
    }
  }));
}

}  // namespace slime::actors
