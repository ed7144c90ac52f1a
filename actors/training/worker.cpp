#include "actors/training/worker.hpp"

#include <string>
#include <utility>

#include "actors/training/job_parts.hpp"
#include "runtime/wire/address.hpp"
#include "runtime/wire/lists.hpp"

namespace slime::actors {

WorkerActor::WorkerActor(runtime::Host& host, const Message<schema::WorkerSpec>& spec,
                         std::unique_ptr<GradientSource> source, const UsageMeter::Source& usage)
    : Actor(host), spec_(spec), source_(std::move(source)), usage_(usage) {
  on(&WorkerActor::describe);
  on(&WorkerActor::begin);
  worker_ = spec_.read([](auto read) { return read.getWorker(); });
}

void WorkerActor::on_start() {
  loaded_ = load();
}

Status WorkerActor::load() {
  return spec_.read([this](schema::WorkerSpec::Reader read) -> Status {
    const auto job = read.getJob();
    const auto mode = mode_of(job);
    if (!mode) return mode.error();
    committed_ = (*mode)->committed();
    const auto gradients = source_->open(gradient_settings(job));
    if (!gradients) return gradients.error();
    gradients_ = *gradients;
    if (job.getEmulate().getSampleUs() > 0) {
      auto pace = trainer::Pace::make(emulation_of(job), WorkerId{worker_});
      if (!pace) return pace.error();
      pace_ = std::move(pace).value();
    }
    tasks_.emplace(gradients_->model().parameter_count(), reproducible(job));
    plan_ = work_plan(job, gradients_->data().train.samples());
    return ok();
  });
}

void WorkerActor::describe(const Message<schema::Describe>&, Reply<schema::Description> reply) {
  if (!loaded_) return reply.fail(loaded_.error());
  reply.send(Message<schema::Description>::make([this](schema::Description::Builder root) {
    const auto& data = gradients_->data();
    root.setSamples(data.train.samples());
    root.setTestSamples(data.test.samples());
    root.setInputs(data.train.input_size());
    root.setClasses(static_cast<std::uint32_t>(data.train.classes()));
    root.setDataHash(gradients_->data_hash());
    root.setProbeHash(gradients_->probe_hash());
    root.setDevice(gradients_->device());
    root.setTerm(term_);
  }));
}

void WorkerActor::begin(const Message<schema::Begin>& request, Reply<schema::Begun> reply) {
  request.read([&](schema::Begin::Reader read) {
    if (!loaded_) return reply.fail(loaded_.error());
    if (read.getTerm() < term_)
      return reply.fail(Error{Errc::stale, "the worker obeys term " + std::to_string(term_)});
    if (read.getTerm() > term_) {
      cancel_all();
      term_ = read.getTerm();
      coordinator_ = Coordinator{runtime::read_address(read.getCoordinator())};
      run_started_ = now() - Duration(read.getStartedNs());
      std::vector<ParameterFetch::Place> places;
      for (const auto place : read.getShards())
        places.push_back({ParameterShard{runtime::read_address(place.getAddress())},
                          place.getFirst(), place.getCount()});
      fetch_.emplace(std::move(places));
      asked_next_ = sealing_ = computing_ = finished_ = back_to_back_ = false;
      near_end_ = true;
      busy_until_ = now();
      tasks_->clear();
      test_.reset();
      outgoing_.reset();
    }
    reply.send(
        Message<schema::Begun>::make([this](schema::Begun::Builder root) { root.setTerm(term_); }));
    proceed();
  });
}

void WorkerActor::proceed() {
  if (finished_) return;
  send_off();
  if (!computing_) {
    // A group that is being sealed is pushed before the evaluation, which takes a while.
    if (test_) return sealing_ ? void() : evaluate();
    if (Task* task = tasks_->to_compute()) return compute(*task);
  }
  if (next_is_due()) ask_next();
}

bool WorkerActor::next_is_due() const {
  if (tasks_->empty()) return true;
  // Asked while the last of it is computed, so that the answer is here when that is done.
  if (!tasks_->newest().complete) return tasks_->newest().granted.empty();
  if (tasks_->full()) return false;
  // Where nothing is leased ahead, right behind the seal, so that the lease comes with the group.
  return committed_ ? sealing_ : near_end_;
}

void WorkerActor::ask_next() {
  if (asked_next_) return;
  asked_next_ = true;
  // Computing in earnest keeps this thread from asking again shortly before it ends.
  const bool ahead =
      !tasks_->empty() && !tasks_->full() && (tasks_->newest().complete || (!committed_ && !pace_));
  const auto request = Message<schema::Next>::make([&](schema::Next::Builder root) {
    root.setTerm(term_);
    root.setWorker(worker_);
    root.setSequence(++next_sequence_);
    root.setAhead(ahead);
  });
  ask_until_answered(coordinator_, request, grant_time_.retry(),
                     [this, ahead, asked = now()](Result<Message<schema::Grant>> grant) {
                       asked_next_ = false;
                       grant_time_.observe(to_seconds(now() - asked));
                       // Otherwise this term is over; Begin of the next one follows.
                       if (grant) granted(*grant, ahead);
                     });
}

void WorkerActor::granted(const Message<schema::Grant>& grant, bool ahead) {
  grant.read([this, ahead](schema::Grant::Reader read) {
    switch (read.which()) {
      case schema::Grant::COMPUTE:
        lease(read.getCompute(), ahead);
        break;
      case schema::Grant::SEAL:
        tasks_->complete_newest();
        break;
      case schema::Grant::EVALUATE: {
        const auto range = read.getEvaluate();
        test_ = Test{range.getRound(), range.getFirst(), range.getCount(), range.getVersion()};
        break;
      }
      case schema::Grant::FINISH:
        finished_ = true;
        break;
    }
  });
  proceed();
}

void WorkerActor::lease(schema::Lease::Reader lease, bool ahead) {
  run_started_ = now() - Duration(lease.getRunNs());
  Task task;
  task.iteration = lease.getIteration();
  task.group = lease.getGroup();
  task.min_version = lease.getMinVersion();
  task.learning_rate = lease.getLearningRate();
  task.granted = runtime::to_vector<std::uint32_t>(lease.getBlocks());
  task.last = lease.getLast();
  tasks_->add(std::move(task), ahead);
}

void WorkerActor::fetch(std::uint64_t min_version) {
  if (fetch_->under_way()) return;
  fetch_->start(now());
  const auto request = Message<schema::Pull>::make([&](schema::Pull::Builder root) {
    root.setTerm(term_);
    root.setMinVersion(min_version);
    root.setWorker(worker_);
  });
  for (std::size_t i = 0; i < fetch_->places().size(); ++i) {
    const auto& place = fetch_->places()[i];
    ask_until_answered(place.shard, request, fetch_->retry(place.count * sizeof(float)),
                       [this, i](Result<Message<schema::Parameters>> range) {
                         if (range) {
                           usage_.fetched(range->words().bytes());
                           if (fetch_->arrived(i, *range, now())) proceed();
                         } else if (range.error().code == Errc::invalid_argument) {
                           // Such as a range that is longer than a message may be.
                           give_up(range.error());
                         }
                       });
  }
}

bool WorkerActor::have_parameters(std::uint64_t min_version) {
  if (fetch_->under_way()) return false;
  if (fetch_->fresh()) {
    if (Status taken = fetch_->take(); !taken) {
      give_up(taken.error());
      return false;
    }
    if (fetch_->version() >= min_version) return true;
  }
  // Committed parameters of the right version cannot have changed since.
  if (committed_ && fetch_->version() == min_version) return true;
  fetch(min_version);
  return false;
}

void WorkerActor::compute(Task& task) {
  if (!task.begun()) {
    if (!have_parameters(task.min_version)) {
      back_to_back_ = false;
      return;
    }
    task.version = *fetch_->version();
    task.fetch_s = fetch_->seconds();
    task.wait_s = back_to_back_ ? 0 : to_seconds(now() - busy_until_);
  }
  // In earnest only a little beside a seal: its answer is read after that, and then the group
  // before is pushed. An emulated machine's mailbox is read while the emulated time passes.
  const auto& blocks = task.start(sealing_ && !pace_ ? 1 : task.granted.size());
  const bool fetches = !committed_ && task.last && task.granted.empty();
  near_end_ = !pace_;
  if (next_is_due()) ask_next();
  if (fetches && !pace_) fetch(0);
  const auto end = add(task, blocks);
  if (!end) return;
  computing_ = true;
  if (pace_ && !committed_ && task.granted.empty()) look_ahead_before(*end, fetches);
  // Also without emulation the mailbox is read before the next lease is computed.
  after(*end - now(), [this] { computed(); });
}

std::optional<Instant> WorkerActor::add(Task& task, const std::vector<std::uint32_t>& blocks) {
  const Instant started = back_to_back_ ? busy_until_ : now();
  if (Status added = gradients_->add(task.iteration, blocks, fetch_->parameters(), *task.sum);
      !added) {
    give_up(added.error());
    return std::nullopt;
  }
  std::uint32_t samples = 0;
  for (std::uint32_t block : blocks) samples += plan_.samples_in_block(task.iteration, block);
  task.samples += samples;
  busy_until_ = now();
  if (pace_)
    busy_until_ = std::max(
        busy_until_, started + pace_->duration(task.iteration, samples, started - run_started_,
                                               task.samples == samples));
  task.compute_s += to_seconds(busy_until_ - started);
  return busy_until_;
}

void WorkerActor::look_ahead_before(Instant end, bool fetches) {
  // As late as it can be and still be there in time: the later, the fresher.
  const Duration lead = from_seconds(fetch_->lead_s());
  after(std::max(end - lead - now(), Duration::zero()), [this, end, fetches] {
    if (!computing_ || busy_until_ != end) return;
    near_end_ = true;
    if (fetches) fetch(0);
    proceed();
  });
}

void WorkerActor::computed() {
  computing_ = false;
  near_end_ = true;
  tasks_->end_computing();
  back_to_back_ = pace_ && tasks_->to_compute();
  proceed();
}

void WorkerActor::send_off() {
  const Task* task = tasks_->to_send();
  // One push per shard at a time: the next group waits for the one before.
  if (!task || sealing_ || outgoing_) return;
  task->group == 0 ? seal(*task) : push(*task, task->group);
}

void WorkerActor::seal(const Task& task) {
  sealing_ = true;
  const auto request = Message<schema::Seal>::make([&](schema::Seal::Builder root) {
    root.setTerm(term_);
    root.setWorker(worker_);
    root.setSequence(++seal_sequence_);
    root.setIteration(task.iteration);
    root.setBlocks(kj::arrayPtr(task.computed.data(), task.computed.size()));
    auto measured = root.initMeasured();
    measured.setWorker(worker_);
    measured.setIteration(task.iteration);
    measured.setSamples(task.samples);
    measured.setComputeSeconds(task.compute_s);
    measured.setFetchSeconds(task.fetch_s);
    measured.setPushSeconds(push_s_);
    measured.setWaitSeconds(task.wait_s);
    if (const Status told = usage_.report(now(), measured); !told)
      log(runtime::LogLevel::warning, "its usage is not reported: " + told.error().context);
  });
  ask_until_answered(coordinator_, request, answer_time_.retry(),
                     [this, asked = now()](Result<Message<schema::Sealed>> sealed) {
                       if (!sealed) return;
                       sealing_ = false;
                       answer_time_.observe(to_seconds(now() - asked));
                       const std::uint64_t group =
                           sealed->read([](auto read) { return read.getGroup(); });
                       group == 0 ? tasks_->drop_oldest() : push(tasks_->oldest(), group);
                       proceed();
                     });
}

void WorkerActor::push(const Task& task, trainer::GroupId group) {
  outgoing_ = Outgoing{group, fetch_->places().size(), now()};
  for (const auto& place : fetch_->places()) {
    const auto bytes = task.sum->bytes(place.first, place.count);
    usage_.pushed(bytes.size());
    const auto request = Message<schema::Push>::make(
        [&](schema::Push::Builder root) {
          root.setTerm(term_);
          root.setWorker(worker_);
          root.setGroup(group);
          root.setIteration(task.iteration);
          root.setVersion(task.version);
          root.setBlocks(kj::arrayPtr(task.computed.data(), task.computed.size()));
          root.setSamples(task.samples);
          root.setLearningRate(task.learning_rate);
          root.setValues(
              capnp::Data::Reader(reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()));
        },
        bytes.size() / 8 + task.computed.size() + 64);
    ask_until_answered(place.shard, request, push_time_.retry(bytes.size()),
                       [this](Result<Message<schema::Pushed>> answer) { pushed(answer); });
  }
  tasks_->drop_oldest();
}

void WorkerActor::pushed(const Result<Message<schema::Pushed>>& answer) {
  if (!answer) {
    const Errc code = answer.error().code;
    if (code == Errc::invalid_argument || code == Errc::diverged) give_up(answer.error());
    return;
  }
  if (--outgoing_->unanswered > 0) return;
  push_s_ = to_seconds(now() - outgoing_->since);
  push_time_.observe(push_s_);
  complete(outgoing_->group, nullptr);
  outgoing_.reset();
  proceed();
}

void WorkerActor::complete(trainer::GroupId group, const Error* failure) {
  const auto request = Message<schema::Complete>::make([&](schema::Complete::Builder root) {
    root.setTerm(term_);
    root.setWorker(worker_);
    root.setGroup(group);
    if (failure) {
      root.initFailure().setCode(static_cast<std::uint8_t>(failure->code));
      root.getFailure().setContext(failure->context);
    }
  });
  ask_until_answered(coordinator_, request, answer_time_.retry(),
                     [](Result<Message<schema::Completed>>) {});
}

void WorkerActor::give_up(const Error& error) {
  finished_ = true;
  complete(0, &error);
}

void WorkerActor::evaluate() {
  if (!have_parameters(test_->version)) return;
  const auto score = gradients_->evaluate(test_->first, test_->count, fetch_->parameters());
  const auto request = Message<schema::Evaluated>::make([&](schema::Evaluated::Builder root) {
    root.setTerm(term_);
    root.setWorker(worker_);
    root.setRound(test_->round);
    root.setFirst(test_->first);
    root.setCount(test_->count);
    root.setCorrect(score.correct);
    root.setLossSum(score.loss_sum);
  });
  test_.reset();
  back_to_back_ = false;
  busy_until_ = now();
  ask_until_answered(coordinator_, request, answer_time_.retry(),
                     [](Result<Message<schema::EvaluationTaken>>) {});
  proceed();
}

}  // namespace slime::actors
