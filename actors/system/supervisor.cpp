#include "actors/system/supervisor.hpp"

#include <algorithm>
#include <utility>

#include "runtime/wire/address.hpp"

namespace slime::actors {

using runtime::LogLevel;
using runtime::Message;
using runtime::Reply;

namespace {

constexpr runtime::Retry ask_again{std::chrono::milliseconds(100), std::chrono::seconds(1)};
constexpr std::string_view kept_prefix = "supervisor/";
/// Incarnations are microseconds since 1970, so the keys of a head's processes differ as long as
/// none starts more than four thousand actors a microsecond.
constexpr unsigned key_bits = 12;

runtime::RestartLimits read_limits(schema::RestartRule::Reader rule) {
  using std::chrono::milliseconds;
  return runtime::RestartLimits{.restarts_max = rule.getMaxRestarts(),
                                .window = milliseconds(rule.getWindowMs()),
                                .backoff = milliseconds(rule.getBackoffMs()),
                                .backoff_max = milliseconds(rule.getBackoffMaxMs())};
}

bool same_member(const runtime::Candidate& a, const runtime::Candidate& b) {
  return a.node == b.node && a.incarnation == b.incarnation;
}

}  // namespace

SupervisorActor::SupervisorActor(runtime::Host& host, const runtime::PlacementPolicy& placement,
                                 StateKeeper* keeper)
    : Actor(host), placement_(placement), keeper_(keeper) {
  on(&SupervisorActor::supervise);
  on(&SupervisorActor::release);
  on(&SupervisorActor::list);
  on(&SupervisorActor::members);
}

void SupervisorActor::on_start() {
  last_key_ = self().incarnation << key_bits;
  if (const Status restored = restore(); !restored) return stop(restored.error());
  const Membership membership{ActorAddress{self().node, self().incarnation, membership_number}};
  const auto subscribe =
      Message<schema::SubscribeMembers>::make([this](schema::SubscribeMembers::Builder root) {
        runtime::write_address(root.initSubscriber(), self());
      });
  ask_until_answered(membership, subscribe, ask_again,
                     [this](Result<Message<schema::Members>> all) {
                       if (!all) return stop(all.error());
                       members(*all);
                     });
}

Status SupervisorActor::restore() {
  if (!keeper_) return ok();
  const Status visited =
      keeper_->visit(kept_prefix, [this](std::string_view, const runtime::Words& words) {
        Message<schema::KeptCharge>::adopt(words).read(
            [this](schema::KeptCharge::Reader kept) { take_up(kept); });
      });
  if (!visited) return visited;
  for (auto& [name, charge] : charges_) {
    // That its name is bound may not have been kept any more.
    if (charge.state == State::running) {
      watch(runtime::Ref<runtime::Protocol<>>{charge.address});
      bind(name, charge);
    }
    if (charge.state == State::starting) spawn(name, charge);
  }
  return ok();
}

void SupervisorActor::take_up(schema::KeptCharge::Reader kept) {
  const auto order = kept.getOrder();
  Charge& charge =
      charges_
          .emplace(order.getName().cStr(),
                   Charge{.order = Message<schema::Supervise>::copy(order),
                          .role = order.getRole().cStr(),
                          .policy = runtime::RestartPolicy(read_limits(order.getRule()))})
          .first->second;
  const auto failure = kept.getFailure();
  if (failure.getCode() != 0) {
    charge.state = State::given_up;
    charge.last_death = {static_cast<Errc>(failure.getCode()), failure.getContext().cStr()};
    return;
  }
  charge.member.node = runtime::read_node(kept.getMember().getNode());
  charge.member.incarnation = kept.getMember().getIncarnation();
  charge.member.name = kept.getMember().getName().cStr();
  // What ran here died with an earlier process of this node, through no fault of its own.
  if (charge.member.node == self().node || kept.getKey() == 0) return;
  charge.key = kept.getKey();
  charge.address = runtime::read_address(kept.getAddress());
  charge.state = charge.address ? State::running : State::starting;
  if (charge.address) charge.policy.started(now());
}

Status SupervisorActor::keep(const std::string& name) {
  if (!keeper_) return ok();
  KeptChange change{std::string(kept_prefix) + name, {}};
  const auto found = charges_.find(name);
  if (found != charges_.end()) change.state = describe(found->second).words();
  const Status kept = keeper_->write({&change, 1});
  if (!kept) stop(kept.error());
  return kept;
}

Message<schema::KeptCharge> SupervisorActor::describe(const Charge& charge) {
  return Message<schema::KeptCharge>::make(
      [&](schema::KeptCharge::Builder root) {
        charge.order.read([&](schema::Supervise::Reader order) { root.setOrder(order); });
        runtime::write_address(root.initAddress(), charge.address);
        auto member = root.initMember();
        runtime::write_node(member.initNode(), charge.member.node);
        member.setIncarnation(charge.member.incarnation);
        member.setName(charge.member.name);
        root.setKey(charge.key);
        if (charge.state != State::given_up) return;
        auto failure = root.initFailure();
        failure.setCode(static_cast<std::uint8_t>(charge.last_death.code));
        failure.setContext(charge.last_death.context);
      },
      charge.order.words().count() + 64);
}

void SupervisorActor::supervise(const Message<schema::Supervise>& message,
                                Reply<schema::Supervised> reply) {
  message.read([&](schema::Supervise::Reader root) {
    const std::string name = root.getName();
    if (name.empty())
      return reply.fail(Error{Errc::invalid_argument, "supervising: the actor needs a name"});
    auto found = charges_.find(name);
    if (found != charges_.end() && found->second.state == State::running)
      return reply.send(answer(found->second));
    if (found != charges_.end() && found->second.state == State::given_up) {
      charges_.erase(found);
      found = charges_.end();
    }
    if (found != charges_.end()) {
      found->second.waiting.push_back(std::move(reply));
      return;
    }
    Charge& charge =
        charges_
            .emplace(name, Charge{.order = message,
                                  .role = root.getRole().cStr(),
                                  .policy = runtime::RestartPolicy(read_limits(root.getRule()))})
            .first->second;
    charge.waiting.push_back(std::move(reply));
    if (keep(name)) place(name);
  });
}

void SupervisorActor::release(const Message<schema::Release>& message,
                              Reply<schema::Released> reply) {
  const std::string name =
      message.read([](schema::Release::Reader root) { return std::string(root.getName()); });
  const auto found = charges_.find(name);
  if (found == charges_.end())
    return reply.fail(Error{Errc::not_found, "releasing " + name + ": it is not supervised"});
  cancel(found->second.pending);
  for (auto& waiting : found->second.waiting)
    waiting.fail(Error{Errc::unavailable, "supervising " + name + ": it was released"});
  charges_.erase(found);
  if (const Status kept = keep(name); !kept) return reply.fail(kept.error());
  reply.send(Message<schema::Released>::make());
}

void SupervisorActor::members(const Message<schema::Members>& message) {
  message.read([&](schema::Members::Reader root) {
    if (root.getVersion() <= version_) return;
    version_ = root.getVersion();
    members_.clear();
    suspects_.clear();
    for (const schema::Member::Reader member : root.getMembers()) {
      Member known{.node = runtime::read_node(member.getNode()),
                   .incarnation = member.getIncarnation(),
                   .name = member.getName().cStr()};
      for (const auto role : member.getRoles()) known.roles.emplace_back(role.cStr());
      if (member.getState() == schema::MemberState::ALIVE) members_.push_back(std::move(known));
      if (member.getState() == schema::MemberState::SUSPECT) suspects_.push_back(std::move(known));
    }
  });
  std::vector<std::string> names;
  for (const auto& [name, charge] : charges_) names.push_back(name);
  for (const std::string& name : names) {
    Charge& charge = charges_.at(name);
    const bool there = charge.state == State::starting || charge.state == State::running;
    if (charge.state == State::placing) place(name);
    if (there && !is_present(charge.member))
      failed(name, Error{Errc::unavailable, "its node " + charge.member.name + " (" +
                                                to_string(charge.member.node) + ") is gone"});
  }
}

bool SupervisorActor::is_present(const Member& member) const {
  const auto same = [&](const Member& other) { return same_member(other, member); };
  return std::ranges::any_of(members_, same) || std::ranges::any_of(suspects_, same);
}

void SupervisorActor::place(const std::string& name) {
  Charge& charge = charges_.at(name);
  std::vector<Member> candidates = members_;
  for (Member& candidate : candidates)
    for (const auto& [other_name, other] : charges_)
      if ((other.state == State::running || other.state == State::starting) &&
          same_member(other.member, candidate))
        ++candidate.actors;
  const Member* chosen = placement_.choose(candidates, charge.role);
  charge.state = chosen ? State::starting : State::placing;
  if (!chosen) {
    log(LogLevel::info, name + " waits for a living member with the role \"" + charge.role + "\"");
    return;
  }
  charge.member = *chosen;
  charge.key = ++last_key_;
  if (keep(name)) spawn(name, charge);
}

void SupervisorActor::spawn(const std::string& name, Charge& charge) {
  // The key makes it safe to repeat when its answer is lost, and the head with it.
  const auto request = charge.order.read([&](schema::Supervise::Reader order) {
    return Message<schema::Spawn>::make(
        [&](schema::Spawn::Builder root) {
          root.setType(order.getSpawn().getType());
          root.setSpecType(order.getSpawn().getSpecType());
          root.setSpec(order.getSpawn().getSpec());
          root.setKey(charge.key);
        },
        charge.order.words().count() + 32);
  });
  charge.pending =
      ask_until_answered(node_agent_of(charge.member.node, charge.member.incarnation), request,
                         ask_again, [this, name](Result<Message<schema::Spawned>> spawned) {
                           if (!spawned) return failed(name, spawned.error());
                           started(name, spawned->read([](schema::Spawned::Reader root) {
                             return runtime::read_address(root.getAddress());
                           }));
                         });
}

void SupervisorActor::started(const std::string& name, const ActorAddress& address) {
  Charge& charge = charges_.at(name);
  charge.state = State::running;
  charge.address = address;
  charge.policy.started(now());
  if (!keep(name)) return;
  log(LogLevel::info, name + " runs as actor " + to_string(address) + " on " + charge.member.name);
  watch(runtime::Ref<runtime::Protocol<>>{address});
  bind(name, charge);
}

void SupervisorActor::bind(const std::string& name, Charge& charge) {
  const Directory directory{ActorAddress{self().node, self().incarnation, directory_number}};
  const auto binding = Message<schema::Register>::make([&](schema::Register::Builder root) {
    root.setName(name);
    runtime::write_address(root.initAddress(), charge.address);
    root.setReplace(true);
  });
  charge.pending = ask_until_answered(directory, binding, ask_again,
                                      [this, name](Result<Message<schema::Registered>> bound) {
                                        if (!bound) return stop(bound.error());
                                        Charge& ready = charges_.at(name);
                                        for (auto& waiting : ready.waiting)
                                          waiting.send(answer(ready));
                                        ready.waiting.clear();
                                      });
}

void SupervisorActor::on_down(const ActorAddress& target, const Error& error) {
  for (auto& [name, charge] : charges_) {
    if (charge.state != State::running || charge.address != target) continue;
    failed(name, error);
    return;
  }
}

void SupervisorActor::failed(const std::string& name, const Error& why) {
  Charge& charge = charges_.at(name);
  cancel(charge.pending);
  charge.address = {};
  charge.key = 0;
  charge.last_death = why;
  const auto pause = charge.policy.failed(now());
  if (pause) {
    log(LogLevel::warning, name + " failed and starts again in " +
                               std::to_string(*pause / std::chrono::milliseconds(1)) +
                               " ms: " + to_string(why));
    charge.state = State::pausing;
    if (!keep(name)) return;
    charge.pending = after(*pause, [this, name] { place(name); });
    return;
  }
  const Error given_up{why.code, "supervising " + name + ": given up after " +
                                     std::to_string(1 + charge.policy.restarts()) +
                                     " attempts: " + why.context};
  log(LogLevel::error, to_string(given_up));
  charge.state = State::given_up;
  if (!keep(name)) return;
  for (auto& waiting : charge.waiting) waiting.fail(given_up);
  charge.waiting.clear();
}

Message<schema::Supervised> SupervisorActor::answer(const Charge& charge) {
  return Message<schema::Supervised>::make([&](schema::Supervised::Builder root) {
    runtime::write_address(root.initAddress(), charge.address);
    root.setRestarts(charge.policy.restarts());
  });
}

void SupervisorActor::list(const Message<schema::ListSupervised>&,
                           Reply<schema::SupervisedActors> reply) {
  static constexpr const char* states[] = {"waiting for a member", "starting", "running",
                                           "waiting to restart", "given up"};
  reply.send(Message<schema::SupervisedActors>::make([&](schema::SupervisedActors::Builder root) {
    auto actors = root.initActors(static_cast<unsigned>(charges_.size()));
    unsigned i = 0;
    for (const auto& [name, charge] : charges_) {
      auto actor = actors[i++];
      actor.setName(name);
      runtime::write_address(actor.initAddress(), charge.address);
      actor.setRestarts(charge.policy.restarts());
      actor.setState(states[static_cast<std::size_t>(charge.state)]);
      if (!charge.last_death.context.empty()) actor.setReason(to_string(charge.last_death));
      actor.setMember(charge.member.name);
    }
  }));
}

}  // namespace slime::actors
