#include "actors/system/membership.hpp"

#include <algorithm>
#include <utility>

#include "runtime/wire/address.hpp"

namespace slime::actors {

using runtime::LogLevel;
using runtime::Message;
using runtime::Reply;
using schema::MemberState;

namespace {

constexpr const char* kept_key = "membership";

}  // namespace

MembershipActor::MembershipActor(runtime::Host& host, Settings settings)
    : Actor(host), settings_(std::move(settings)) {
  on(&MembershipActor::join);
  on(&MembershipActor::leave);
  on(&MembershipActor::suspect);
  on(&MembershipActor::members);
  on(&MembershipActor::subscribe);
}

void MembershipActor::on_start() {
  if (const Status restored = restore(); !restored) return stop(restored.error());
  refresh();
}

Status MembershipActor::restore() {
  if (!settings_.keeper) return ok();
  const auto take_up = [this](schema::Members::Reader root) {
    version_ = root.getVersion();
    for (const schema::Member::Reader member : root.getMembers()) {
      Record& record = records_.emplace_back(read_record(member));
      record.state = member.getState();
      record.reason = member.getReason();
      record.changed_us = member.getChangedUs();
    }
  };
  const Status visited =
      settings_.keeper->visit(kept_key, [&](std::string_view, const runtime::Words& words) {
        Message<schema::Members>::adopt(words).read(take_up);
      });
  if (!visited || records_.empty()) return visited;
  for (Record& record : records_) {
    if (!record.present()) continue;
    if (record.node == self().node)
      set(record, MemberState::DEAD, "its process ended, and another one follows it");
    else
      set(record, MemberState::SUSPECT, "not heard since the head was started again");
  }
  return changed();
}

void MembershipActor::on_down(const ActorAddress& target, const Error&) {
  subscribers_.erase(target);
}

void MembershipActor::join(const Message<schema::Join>& message, Reply<schema::Members> reply) {
  const Record newcomer =
      message.read([](schema::Join::Reader root) { return read_record(root.getMember()); });
  const Status admitted = admit(newcomer);
  if (!admitted) {
    log(LogLevel::warning, to_string(admitted.error()));
    return reply.fail(admitted.error());
  }
  reply.send(snapshot());
}

Status MembershipActor::admit(const Record& newcomer) {
  const std::string what = "joining as " + newcomer.name + ": ";
  if (newcomer.name.empty() || !newcomer.node)
    return Error{Errc::invalid_argument, what + "a member needs a name and a node id"};
  if (Record* known = find(newcomer.node, newcomer.incarnation)) {
    // That it is suspect only since this process started ends with its coming back.
    if (known->state == MemberState::SUSPECT && known->lost_by.empty())
      change(*known, MemberState::ALIVE, "");
    if (known->present()) return ok();
    return Error{Errc::stale, what + "this incarnation was declared dead: " + known->reason +
                                  "; start the node again"};
  }
  for (Record& record : records_) {
    if (!record.present()) continue;
    if (record.node == newcomer.node) {
      if (record.incarnation > newcomer.incarnation)
        return Error{Errc::stale, what + "a newer incarnation of the node is a member"};
      change(record, MemberState::DEAD, "replaced by a newer incarnation");
    } else if (record.name == newcomer.name) {
      return Error{Errc::already_exists,
                   what + "the name is in use by node " + to_string(record.node) + " (pid " +
                       std::to_string(record.pid) +
                       "); choose another name, or wait until that node is declared dead"};
    }
  }
  records_.push_back(newcomer);
  records_.back().changed_us = settings_.wall_clock_us();
  log(LogLevel::info, "member " + newcomer.name + " (" + to_string(newcomer.node) + ") joined");
  return changed();
}

void MembershipActor::leave(const Message<schema::Leave>& message, Reply<schema::Members> reply) {
  message.read([&](schema::Leave::Reader root) {
    Record* record = find(runtime::read_node(root.getNode()), root.getIncarnation());
    if (!record) return reply.fail(Error{Errc::not_found, "leaving: not a member"});
    // Answered first: what follows cuts the connection that the answer takes.
    reply.send(snapshot());
    if (record->present()) change(*record, MemberState::LEFT, root.getReason());
  });
}

void MembershipActor::suspect(const Message<schema::Suspect>& message) {
  message.read([&](schema::Suspect::Reader root) {
    Record* record = find(runtime::read_node(root.getNode()), root.getIncarnation());
    if (!record || !record->present()) return;
    const NodeId reporter = runtime::read_node(root.getReporter());
    // It would never take back what it says of the living, and has lost all of them.
    if (is_gone(reporter)) return;
    if (root.getCleared()) {
      record->lost_by.erase(reporter);
      if (record->lost_by.empty() && record->state == MemberState::SUSPECT)
        change(*record, MemberState::ALIVE, "");
      return;
    }
    if (root.getLost()) record->lost_by.insert(reporter);
    if (root.getLost() &&
        (reporter == self().node || record->lost_by.size() >= settings_.witnesses)) {
      change(*record, MemberState::DEAD, root.getReason());
    } else if (record->state == MemberState::ALIVE) {
      change(*record, MemberState::SUSPECT, root.getReason());
    }
  });
}

bool MembershipActor::is_gone(NodeId node) const {
  bool known = false;
  for (const Record& record : records_) {
    if (record.node != node) continue;
    if (record.present()) return false;
    known = true;
  }
  return known;
}

void MembershipActor::end_parted() {
  // Of thousands of members hardly any has been lost by another.
  std::vector<Record*> doubted;
  for (Record& record : records_)
    if (record.present() && !record.lost_by.empty()) doubted.push_back(&record);
  std::set<std::pair<NodeId, NodeId>> parted;
  for (auto one = doubted.begin(); one != doubted.end(); ++one)
    for (auto later = one + 1; later != doubted.end(); ++later) {
      // The death of one takes back what it has said of others.
      if (!(*one)->lost_by.contains((*later)->node) || !(*later)->lost_by.contains((*one)->node))
        continue;
      const std::pair both{(*one)->node, (*later)->node};
      parted.insert(both);
      if (parted_.contains(both) && (*one)->present() && (*later)->present())
        change(**later, MemberState::DEAD,
               "it and member " + (*one)->name + " have lost each other");
    }
  parted_ = std::move(parted);
}

void MembershipActor::members(const Message<schema::GetMembers>&, Reply<schema::Members> reply) {
  reply.send(snapshot());
}

void MembershipActor::subscribe(const Message<schema::SubscribeMembers>& message,
                                Reply<schema::Members> reply) {
  const ActorAddress subscriber = message.read([](schema::SubscribeMembers::Reader root) {
    return runtime::read_address(root.getSubscriber());
  });
  const runtime::Ref<MembersListener> listener{subscriber};
  if (subscribers_.insert(subscriber).second) watch(listener);
  static_cast<void>(tell(listener, snapshot()));
  reply.send(snapshot());
}

MembershipActor::Record MembershipActor::read_record(schema::Member::Reader member) {
  Record record;
  record.node = runtime::read_node(member.getNode());
  record.incarnation = member.getIncarnation();
  record.name = member.getName();
  for (const auto role : member.getRoles()) record.roles.emplace_back(role.cStr());
  for (const auto endpoint : member.getEndpoints()) record.endpoints.emplace_back(endpoint.cStr());
  record.pid = member.getPid();
  return record;
}

MembershipActor::Record* MembershipActor::find(NodeId node, std::uint64_t incarnation) {
  const auto found = std::ranges::find_if(records_, [&](const Record& record) {
    return record.node == node && record.incarnation == incarnation;
  });
  return found == records_.end() ? nullptr : &*found;
}

void MembershipActor::change(Record& record, MemberState state, std::string reason) {
  set(record, state, std::move(reason));
  if (!record.present()) forget_witness(record.node);
  static_cast<void>(changed());
}

void MembershipActor::set(Record& record, MemberState state, std::string reason) {
  static constexpr const char* names[] = {"alive", "suspect", "dead", "left"};
  log(state == MemberState::DEAD ? LogLevel::warning : LogLevel::info,
      "member " + record.name + " (" + to_string(record.node) + ") is " +
          names[static_cast<std::size_t>(state)] + (reason.empty() ? "" : ": " + reason));
  record.state = state;
  record.reason = std::move(reason);
  record.changed_us = settings_.wall_clock_us();
}

void MembershipActor::forget_witness(NodeId witness) {
  // It will not take back what it said, so that must not count for ever.
  for (Record& record : records_) {
    if (record.lost_by.erase(witness) == 0 || !record.lost_by.empty()) continue;
    if (record.state == MemberState::SUSPECT) change(record, MemberState::ALIVE, "");
  }
}

Status MembershipActor::changed() {
  ++version_;
  if (settings_.keeper) {
    const KeptChange news{kept_key, snapshot().words()};
    if (const Status kept = settings_.keeper->write({&news, 1}); !kept) {
      stop(kept.error());
      return kept;
    }
  }
  tell_everyone();
  return ok();
}

void MembershipActor::tell_everyone() {
  const auto members = snapshot();
  // What is refused for overload now is made up for by the next refresh.
  for (const Record& record : records_)
    if (record.present())
      static_cast<void>(tell(node_agent_of(record.node, record.incarnation), members));
  for (const ActorAddress& subscriber : subscribers_)
    static_cast<void>(tell(runtime::Ref<MembersListener>{subscriber}, members));
}

void MembershipActor::refresh() {
  end_parted();
  auto gone = std::ranges::count_if(records_, [](const Record& r) { return !r.present(); });
  std::erase_if(records_, [&](const Record& record) {
    if (record.present() || gone <= static_cast<std::ptrdiff_t>(settings_.dead_max)) return false;
    --gone;
    return true;
  });
  tell_everyone();
  after(settings_.refresh, [this] { refresh(); });
}

Message<schema::Members> MembershipActor::snapshot() const {
  return Message<schema::Members>::make([this](schema::Members::Builder root) {
    root.setVersion(version_);
    auto members = root.initMembers(static_cast<unsigned>(records_.size()));
    for (unsigned i = 0; i < members.size(); ++i) {
      const Record& record = records_[i];
      schema::Member::Builder member = members[i];
      runtime::write_node(member.initNode(), record.node);
      member.setIncarnation(record.incarnation);
      member.setName(record.name);
      auto roles = member.initRoles(static_cast<unsigned>(record.roles.size()));
      for (unsigned k = 0; k < roles.size(); ++k) roles.set(k, record.roles[k]);
      auto endpoints = member.initEndpoints(static_cast<unsigned>(record.endpoints.size()));
      for (unsigned k = 0; k < endpoints.size(); ++k) endpoints.set(k, record.endpoints[k]);
      member.setState(record.state);
      member.setReason(record.reason);
      member.setPid(record.pid);
      member.setChangedUs(record.changed_us);
    }
  });
}

}  // namespace slime::actors
