#include "actors/training/parameter_shard.hpp"

#include <cstring>
#include <string>

#include "actors/training/job_parts.hpp"
#include "runtime/wire/address.hpp"
#include "runtime/wire/lists.hpp"

namespace slime::actors {

using namespace std::chrono_literals;
using runtime::as_floats;

namespace {

constexpr Duration store_deadline = 120s;
constexpr runtime::Retry coordinator_retry{100ms, 1s};

std::vector<float> floats_in(capnp::Data::Reader data) {
  const auto view = as_floats(data);
  return {view.begin(), view.end()};
}

}  // namespace

capnp::Data::Reader ParameterShardActor::bytes_of(std::span<const float> values) {
  return {reinterpret_cast<const kj::byte*>(values.data()), values.size_bytes()};
}

void ParameterShardActor::write_groups(capnp::List<schema::GroupRecord>::Builder records,
                                       const std::vector<trainer::Group>& groups) {
  for (unsigned i = 0; i < groups.size(); ++i) {
    records[i].setGroup(groups[i].id);
    records[i].setIteration(groups[i].iteration);
    records[i].setBlocks(kj::arrayPtr(groups[i].blocks.data(), groups[i].blocks.size()));
  }
}

ParameterShardActor::ParameterShardActor(runtime::Host& host,
                                         const Message<schema::ShardSpec>& spec)
    : Actor(host), spec_(spec) {
  on(&ParameterShardActor::prepare);
  on(&ParameterShardActor::pull);
  on(&ParameterShardActor::push);
  on(&ParameterShardActor::commit);
  on(&ParameterShardActor::adopt);
  on(&ParameterShardActor::save);
  on(&ParameterShardActor::remember);
  on(&ParameterShardActor::replicate);
  on(&ParameterShardActor::mirror);
  spec_.read([this](schema::ShardSpec::Reader read) {
    term_ = read.getTerm();
    stands_by_ = read.getStandby();
    range_ = {read.getFirst(), read.getCount()};
  });
}

Result<trainer::ShardRules> ParameterShardActor::rules() const {
  return spec_.read([](schema::ShardSpec::Reader read) -> Result<trainer::ShardRules> {
    const auto job = read.getJob();
    auto optimizer = optimizer_of(job);
    if (!optimizer) return optimizer.error();
    auto mode = mode_of(job);
    if (!mode) return mode.error();
    return trainer::ShardRules{.plan = work_plan(job, read.getSamples()),
                               .optimizer = std::move(optimizer).value(),
                               .mode = std::move(mode).value(),
                               .damping = job.getSync().getDamping(),
                               .reproducible = reproducible(job)};
  });
}

void ParameterShardActor::on_start() {
  if (stands_by_) return;
  const bool restore = spec_.read([](auto read) { return read.hasRestore(); });
  // A shard beyond the model's last block holds nothing and has nothing to load or save.
  restore&& range_.count > 0 ? start_from_parts() : start_empty();
}

Status ParameterShardActor::create(std::uint64_t version, std::vector<float> values,
                                   std::vector<std::vector<float>> slots) {
  auto shard_rules = rules();
  if (!shard_rules) return shard_rules.error();
  if (slots.empty())
    slots.assign(shard_rules->optimizer->slots(), std::vector<float>(range_.count));
  bool fits = values.size() == range_.count && slots.size() == shard_rules->optimizer->slots();
  for (const auto& slot : slots) fits = fits && slot.size() == range_.count;
  if (!fits)
    return Error{Errc::corruption,
                 "loading parameters: the checkpoint has other parameters or optimizer slots than "
                 "this job; resume with the job file it was made with"};
  state_.emplace(std::move(shard_rules).value(), range_, version, std::move(values),
                 std::move(slots));
  return ok();
}

void ParameterShardActor::start_empty() {
  prepared(spec_.read([this](schema::ShardSpec::Reader read) -> Status {
    const auto model = trainer::Model::build(layer_texts(read.getJob()), read.getInputs());
    if (!model) return model.error();
    std::vector<float> values(range_.count);
    model->initialise(read.getJob().getSeed(), range_.first, values);
    return create(read.getVersion(), std::move(values), {});
  }));
}

void ParameterShardActor::start_from_parts() {
  spec_.read([this](schema::ShardSpec::Reader read) {
    const Checkpointer store{runtime::read_address(read.getCheckpointer())};
    const auto request = Message<schema::ReadRange>::make([&](auto root) {
      root.setManifest(read.getRestore());
      root.setFirst(range_.first);
      root.setCount(range_.count);
      root.setDirectory(read.getRestoreFrom());
    });
    loading_ = true;
    ask(store, request, load_deadline_, [this](Result<Message<schema::RangeRead>> loaded) {
      loading_ = false;
      if (!loaded) return prepared(loaded.error());
      prepared(loaded->read([this](schema::RangeRead::Reader range) {
        std::vector<std::vector<float>> slots;
        for (const auto slot : range.getSlots()) slots.push_back(floats_in(slot));
        return create(spec_.read([](auto spec) { return spec.getVersion(); }),
                      floats_in(range.getValues()), std::move(slots));
      }));
    });
  });
}

void ParameterShardActor::prepared(Status status) {
  auto waiting = std::move(waiting_prepare_);
  waiting_prepare_.clear();
  if (!status &&
      (status.error().code == Errc::timeout || status.error().code == Errc::unavailable)) {
    // Loaded again when the coordinator next asks, with more time.
    log(runtime::LogLevel::warning, "loading parameters: " + status.error().context);
    load_deadline_ *= 2;
    for (auto& reply : waiting) reply.fail(status.error());
    return;
  }
  preparation_ = std::move(status);
  for (auto& reply : waiting) prepare({}, std::move(reply));
}

void ParameterShardActor::prepare(const Message<schema::Prepare>&, Reply<schema::Prepared> reply) {
  if (stands_by_) {
    reply.fail(Error{Errc::unavailable, "the shard stands by for another one"});
  } else if (!preparation_) {
    waiting_prepare_.push_back(std::move(reply));
    if (!loading_) start_from_parts();
  } else if (*preparation_) {
    reply.send(Message<schema::Prepared>::make());
  } else {
    reply.fail(preparation_->error());
  }
}

template <class T>
bool ParameterShardActor::serves(std::uint64_t term, Reply<T>& reply) const {
  if (term != term_) {
    reply.fail(Error{Errc::stale, "shard at term " + std::to_string(term_) +
                                      " was asked in the name of term " + std::to_string(term)});
  } else if (!state_) {
    reply.fail(Error{Errc::unavailable, "the shard has not loaded its parameters yet"});
  } else {
    return true;
  }
  return false;
}

template bool ParameterShardActor::serves(std::uint64_t, Reply<schema::Replicated>&) const;

void ParameterShardActor::pull(const Message<schema::Pull>& request,
                               Reply<schema::Parameters> reply) {
  request.read([&](schema::Pull::Reader read) {
    if (!serves(read.getTerm(), reply)) return;
    if (state_->version() >= read.getMinVersion()) return reply.send(parameters());
    // A repeated pull takes the place of the one before: nobody waits for that any more.
    waiting_pulls_.insert_or_assign(sender(), WaitingPull{read.getMinVersion(), std::move(reply)});
  });
}

const runtime::Message<schema::Parameters>& ParameterShardActor::parameters() {
  if (!current_)
    current_ = Message<schema::Parameters>::make(
        [this](schema::Parameters::Builder root) {
          root.setVersion(state_->version());
          root.setValues(bytes_of(state_->values()));
        },
        state_->values().size_bytes() / 8 + 64);
  return *current_;
}

void ParameterShardActor::answer_waiting() {
  current_.reset();
  for (auto at = waiting_pulls_.begin(); at != waiting_pulls_.end();) {
    if (at->second.min_version <= state_->version()) {
      at->second.reply.send(parameters());
      at = waiting_pulls_.erase(at);
    } else {
      ++at;
    }
  }
}

void ParameterShardActor::push(const Message<schema::Push>& request, Reply<schema::Pushed> reply) {
  request.read([&](schema::Push::Reader read) {
    if (!serves(read.getTerm(), reply)) return;
    const capnp::Data::Reader values = read.getValues();
    trainer::GroupGradient gradient{
        .group = {read.getGroup(), read.getIteration(),
                  runtime::to_vector<std::uint32_t>(read.getBlocks())},
        .version = read.getVersion(),
        .samples = read.getSamples(),
        .learning_rate = read.getLearningRate(),
        .floats = {},
        .fixed = {},
        // The words stay where they are while a copy of the message lives.
        .owner = std::make_shared<const runtime::Words>(request.words())};
    if (spec_.read([](auto spec) { return reproducible(spec.getJob()); }))
      gradient.fixed = {reinterpret_cast<const std::int64_t*>(values.begin()), values.size() / 8};
    else
      gradient.floats = as_floats(values);
    const auto taken = state_->push(std::move(gradient));
    if (!taken) {
      log(runtime::LogLevel::warning, "refused a push of worker " +
                                          std::to_string(read.getWorker()) + ": " +
                                          taken.error().context);
      return reply.fail(taken.error());
    }
    if (*taken == trainer::ShardState::Taken::now) answer_waiting();
    acknowledge(request, *taken == trainer::ShardState::Taken::already, std::move(reply));
  });
}

void ParameterShardActor::commit(const Message<schema::Commit>& request,
                                 Reply<schema::Committed> reply) {
  request.read([&](schema::Commit::Reader read) {
    if (!serves(read.getTerm(), reply)) return;
    const std::uint64_t before = state_->version();
    const Status status =
        state_->commit(read.getIteration(), runtime::to_vector<trainer::GroupId>(read.getGroups()));
    if (!status) return reply.fail(status.error());
    // A repetition leaves the parameters as they are, and the message that pulls get.
    const bool fresh = state_->version() != before;
    if (fresh) answer_waiting();
    acknowledge(request, fresh, std::move(reply));
  });
}

void ParameterShardActor::adopt(const Message<schema::Adopt>& request,
                                Reply<schema::Inventory> reply) {
  const std::uint64_t term = request.read([](auto read) { return read.getTerm(); });
  if (term != 0 && term < term_)
    return reply.fail(Error{Errc::stale, "the shard obeys term " + std::to_string(term_)});
  if (!state_)
    return reply.fail(Error{Errc::unavailable, "the shard has not loaded its parameters yet"});
  if (term > term_) {
    // Whom the old term owed an answer is gone, and so is what it was saving.
    cancel_all();
    forget_standby(Error{Errc::stale, "the shard obeys term " + std::to_string(term)});
    stands_by_ = false;
    waiting_pulls_.clear();
    save_attempt_.reset();
  }
  term_ = std::max(term_, term);
  reply.send(Message<schema::Inventory>::make([this](schema::Inventory::Builder root) {
    root.setVersion(state_->version());
    root.setFirst(range_.first);
    root.setCount(range_.count);
    root.setTerm(term_);
    if (history_) {
      history_->read([&](schema::JobHistory::Reader read) { root.setHistory(read); });
      root.setHistoryNs((now() - history_told_).count());
    }
    root.setRunTerm(spec_.read([](auto read) { return read.getRunTerm(); }));
    const auto groups = state_->groups();
    write_groups(root.initGroups(static_cast<unsigned>(groups.size())), groups);
    const auto& last = state_->last_commit();
    root.setLastCommit(kj::arrayPtr(last.data(), last.size()));
  }));
}

void ParameterShardActor::remember(const Message<schema::JobHistory>& history) {
  const auto age = [](const Message<schema::JobHistory>& told) {
    return told.read([](auto read) { return std::pair(read.getTerm(), read.getNumber()); });
  };
  if (age(history).first != term_ || (history_ && age(history) < age(*history_))) return;
  history_ = history;
  history_told_ = now();
}

void ParameterShardActor::save(const Message<schema::Save>& request, Reply<schema::Copied> reply) {
  request.read([&](schema::Save::Reader read) {
    if (!serves(read.getTerm(), reply)) return;
    if (read.getAttempt() < save_attempt_)
      return reply.fail(Error{Errc::stale, "the shard is saving for a later attempt"});
    const bool repeated = read.getAttempt() == save_attempt_;
    if (!repeated && state_->version() != read.getVersion())
      return reply.fail(
          Error{Errc::unavailable, "the shard is at version " + std::to_string(state_->version()) +
                                       ", not yet at " + std::to_string(read.getVersion())});
    if (!repeated) write_copy(read);
    reply.send(Message<schema::Copied>::make());
  });
}

void ParameterShardActor::write_copy(schema::Save::Reader save) {
  // The copy of an attempt that is over is nobody's any more.
  cancel_asks_to(saving_to_.address);
  save_attempt_ = save.getAttempt();
  saving_to_ = Checkpointer{runtime::read_address(save.getCheckpointer())};
  const auto report = [this, checkpoint = save.getCheckpoint(), attempt = save.getAttempt(),
                       coordinator =
                           sender()](const Result<Message<schema::PartWritten>>& written) {
    report_part(Message<schema::PartSaved>::make([&](schema::PartSaved::Builder root) {
                  root.setTerm(term_);
                  root.setCheckpoint(checkpoint);
                  root.setAttempt(attempt);
                  root.setShard(spec_.read([](auto read) { return read.getShard(); }));
                  if (written) {
                    written->read([&](auto part) { root.setPart(part.getPart()); });
                  } else {
                    root.initFailure().setCode(static_cast<std::uint8_t>(written.error().code));
                    root.getFailure().setContext(written.error().context);
                  }
                }),
                coordinator);
  };
  if (range_.count == 0) return report(Message<schema::PartWritten>::make());
  const std::uint64_t mark = state_->mark();
  ask(saving_to_, copy_for(save), store_deadline,
      [this, report, mark](const Result<Message<schema::PartWritten>>& written) {
        // What it was not told of may be there as well, but the part before is there for sure.
        if (written)
          written->read([&](schema::PartWritten::Reader read) {
            const auto part = read.getPart();
            base_ = WrittenPart{saving_to_.address, part.getKey().cStr(), part.getChecksum(), mark};
          });
        report(written);
      });
}

runtime::Message<schema::WritePart> ParameterShardActor::copy_for(schema::Save::Reader save) const {
  const bool follows = base_ && base_->store == saving_to_.address;
  const auto unchanged = follows ? state_->unchanged_since(base_->mark) : std::vector<bool>();
  const std::size_t bytes = state_->values().size_bytes() * (1 + state_->slots().size());
  return Message<schema::WritePart>::make(
      [&](schema::WritePart::Builder root) {
        root.setCheckpoint(save.getCheckpoint());
        root.setFirst(range_.first);
        root.setValues(bytes_of(state_->values()));
        auto slots = root.initSlots(static_cast<unsigned>(state_->slots().size()));
        for (unsigned i = 0; i < slots.size(); ++i) slots.set(i, bytes_of(state_->slots()[i]));
        root.setVersion(state_->version());
        root.setTerm(term_);
        if (!follows) return;
        root.setBaseKey(base_->key);
        root.setBaseChecksum(base_->checksum);
        auto list = root.initUnchanged(static_cast<unsigned>(unchanged.size()));
        for (unsigned i = 0; i < list.size(); ++i) list.set(i, unchanged[i]);
      },
      bytes / 8 + unchanged.size() / 64 + 128);
}

void ParameterShardActor::report_part(const Message<schema::PartSaved>& saved,
                                      const ActorAddress& coordinator) {
  ask_until_answered(Coordinator{coordinator}, saved, coordinator_retry,
                     [](Result<Message<schema::PartSavedTaken>>) {});
}

}  // namespace slime::actors
