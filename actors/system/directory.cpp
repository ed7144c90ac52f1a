#include "actors/system/directory.hpp"

#include <utility>
#include <vector>

#include "runtime/wire/address.hpp"

namespace slime::actors {

using runtime::Message;
using runtime::Reply;

DirectoryActor::DirectoryActor(runtime::Host& host) : Actor(host) {
  on(&DirectoryActor::bind);
  on(&DirectoryActor::look_up);
  on(&DirectoryActor::list);
}

void DirectoryActor::on_down(const ActorAddress& target, const Error&) {
  watched_.erase(target);
  std::erase_if(bindings_, [&](const auto& binding) { return binding.second == target; });
}

void DirectoryActor::bind(const Message<schema::Register>& message,
                          Reply<schema::Registered> reply) {
  message.read([&](schema::Register::Reader root) {
    const std::string name = root.getName();
    const ActorAddress address = runtime::read_address(root.getAddress());
    if (name.empty() || !address)
      return reply.fail(Error{Errc::invalid_argument,
                              "registering \"" + name + "\": it needs a name and an address"});
    const auto [binding, inserted] = bindings_.try_emplace(name, address);
    if (!inserted && binding->second != address && !root.getReplace())
      return reply.fail(Error{
          Errc::already_exists,
          "registering " + name + ": the name is bound to actor " + to_string(binding->second)});
    binding->second = address;
    if (watched_.insert(address).second) watch(runtime::Ref<runtime::Protocol<>>{address});
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
