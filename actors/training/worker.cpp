#include "actors/training/worker.hpp"

#include <string>

#include "actors/training/job_parts.hpp"
#include "runtime/wire/address.hpp"
#include "runtime/wire/lists.hpp"

namespace slime::actors {

using namespace std::chrono_literals;

namespace {

constexpr Duration retry = 1s;
// Every link is thought to carry at least this much for one worker; what takes longer is asked for
// again, and the answer to the first try still counts.
constexpr double slowest_bytes_per_s = 4 << 20;
// How many times as long as the last fetch the next one is given.
constexpr double prefetch_margin = 2;

// How long a try may take that moves this many bytes.
Duration patience(std::size_t bytes) {
  return retry + from_seconds(static_cast<double>(bytes) / slowest_bytes_per_s);
}

}  // namespace

WorkerActor::WorkerActor(runtime::Host& host, const Message<schema::WorkerSpec>& spec)
    : Actor(host), spec_(spec) {
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
    auto gradients = trainer::BlockGradients::make(gradient_settings(job));
    if (!gradients) return gradients.error();
    gradients_ = std::move(gradients).value();
    if (job.getEmulate().getSampleUs() > 0) {
      auto pace = trainer::Pace::make(emulation_of(job), WorkerId{worker_});
      if (!pace) return pace.error();
      pace_ = std::move(pace).value();
    }
    sum_.emplace(gradients_->model().parameter_count(), reproducible(job));
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
      asked_next_ = seal_wanted_ = sealing_ = computing_ = finished_ = back_to_back_ = false;
      busy_until_ = now();
      sum_->clear();
      task_.reset();
      test_.reset();
      outgoing_.reset();
      held_grant_.reset();
    }
    reply.send(
        Message<schema::Begun>::make([this](schema::Begun::Builder root) { root.setTerm(term_); }));
    proceed();
  });
}

void WorkerActor::proceed() {
  if (computing_ || sealing_ || finished_) return;
  if (!task_ && held_grant_) return granted(*std::exchange(held_grant_, std::nullopt));
  if (test_) return evaluate();
  if (task_ && !task_->queue.empty()) return compute();
  if (task_ && !task_->computed.empty()) {
    if (task_->group != 0) {
      if (!outgoing_) push(task_->group);
    } else if (seal_wanted_) {
      // One push per shard at a time: the next group waits for the one before.
      if (!outgoing_) seal();
    }
  } else {
    seal_wanted_ = false;
  }
  if (!seal_wanted_ && !(task_ && task_->group != 0)) ask_next();
}

void WorkerActor::ask_next() {
  if (asked_next_) return;
  asked_next_ = true;
  const auto request = Message<schema::Next>::make([this](schema::Next::Builder root) {
    root.setTerm(term_);
    root.setWorker(worker_);
    root.setSequence(++next_sequence_);
  });
  ask_until_answered(coordinator_, request, retry, [this](Result<Message<schema::Grant>> grant) {
    asked_next_ = false;
    if (grant) granted(*grant);  // Otherwise this term is over; Begin of the next one follows.
  });
}

void WorkerActor::granted(const Message<schema::Grant>& grant) {
  if (sealing_) {
    // It may be meant for after the seal, or have crossed it; to keep it is right either way, since
    // a block that is no longer ours is refused when it is sealed.
    held_grant_ = grant;
    return;
  }
  grant.read([this](schema::Grant::Reader read) {
    switch (read.which()) {
      case schema::Grant::COMPUTE:
        lease(read.getCompute());
        break;
      case schema::Grant::SEAL:
        seal_wanted_ = true;
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

void WorkerActor::lease(schema::Lease::Reader lease) {
  run_started_ = now() - Duration(lease.getRunNs());
  // Two leases are one task only while both stand. A seal that came late has freed what an earlier
  // lease granted behind it, and then the next one may be of another iteration or a group.
  if (task_ && (task_->iteration != lease.getIteration() || task_->group != lease.getGroup())) {
    sum_->clear();
    task_.reset();
  }
  if (!task_) {
    task_.emplace();
    task_->iteration = lease.getIteration();
    task_->group = lease.getGroup();
    task_->min_version = lease.getMinVersion();
    task_->learning_rate = lease.getLearningRate();
  }
  for (std::uint32_t block : lease.getBlocks()) task_->queue.push_back(block);
  task_->last = lease.getLast();
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
    ask_until_answered(place.shard, request, patience(place.count * sizeof(float)),
                       [this, i](Result<Message<schema::Parameters>> range) {
                         if (range) {
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

void WorkerActor::compute() {
  if (task_->computed.empty()) {
    if (!have_parameters(task_->min_version)) return;
    task_->version = *fetch_->version();
    task_->wait_s = back_to_back_ ? 0 : to_seconds(now() - busy_until_);
  }
  // Asked while computing, so that the answers are here when it is done.
  const bool more_may_follow = task_->group == 0;
  if (more_may_follow && !seal_wanted_) ask_next();
  if (!committed_ && task_->last && !pace_) fetch(0);

  const std::vector<std::uint32_t> blocks(task_->queue.begin(), task_->queue.end());
  task_->queue.clear();
  const Instant started = now();
  const Instant emulated_start = back_to_back_ ? busy_until_ : started;
  if (Status added = gradients_->add(task_->iteration, blocks, fetch_->parameters(), *sum_); !added)
    return give_up(added.error());
  std::uint32_t samples = 0;
  for (std::uint32_t block : blocks) samples += plan_.samples_in_block(task_->iteration, block);
  task_->samples += samples;
  task_->computed.insert(task_->computed.end(), blocks.begin(), blocks.end());
  computing_ = true;
  busy_until_ = now();
  if (pace_) {
    const Instant paced =
        emulated_start + pace_->duration(task_->iteration, samples, emulated_start - run_started_);
    busy_until_ = std::max(busy_until_, paced);
  }
  task_->compute_s += to_seconds(busy_until_ - emulated_start);
  if (!committed_ && task_->last && pace_) prefetch_before(busy_until_);
  // Also without emulation the mailbox is read before the next lease is computed.
  after(busy_until_ - now(), [this] { computed(); });
}

void WorkerActor::prefetch_before(Instant end) {
  // As late as it can be and still be there in time: the later, the fresher.
  const Duration lead = from_seconds(prefetch_margin * fetch_->seconds());
  after(std::max(end - lead - now(), Duration::zero()), [this] {
    if (computing_) fetch(0);
  });
}

void WorkerActor::computed() {
  computing_ = false;
  back_to_back_ = !task_->queue.empty();
  proceed();
}

void WorkerActor::seal() {
  sealing_ = true;
  seal_wanted_ = false;
  const auto request = Message<schema::Seal>::make([this](schema::Seal::Builder root) {
    root.setTerm(term_);
    root.setWorker(worker_);
    root.setSequence(++seal_sequence_);
    root.setIteration(task_->iteration);
    root.setBlocks(kj::arrayPtr(task_->computed.data(), task_->computed.size()));
    auto measured = root.initMeasured();
    measured.setWorker(worker_);
    measured.setIteration(task_->iteration);
    measured.setSamples(task_->samples);
    measured.setComputeSeconds(task_->compute_s);
    measured.setFetchSeconds(fetch_->seconds());
    measured.setPushSeconds(push_s_);
    measured.setWaitSeconds(task_->wait_s);
  });
  ask_until_answered(coordinator_, request, retry, [this](Result<Message<schema::Sealed>> sealed) {
    if (!sealed) return;
    sealing_ = false;
    const std::uint64_t group = sealed->read([](auto read) { return read.getGroup(); });
    if (group != 0) {
      push(group);
    } else {
      sum_->clear();
      task_.reset();
      proceed();
    }
  });
  // Asked right behind it, so that the next lease comes with the group.
  ask_next();
}

void WorkerActor::push(trainer::GroupId group) {
  outgoing_ = Outgoing{group, fetch_->places().size(), now()};
  for (const auto& place : fetch_->places()) {
    const auto bytes = sum_->bytes(place.first, place.count);
    const auto request = Message<schema::Push>::make(
        [&](schema::Push::Builder root) {
          root.setTerm(term_);
          root.setWorker(worker_);
          root.setGroup(group);
          root.setIteration(task_->iteration);
          root.setVersion(task_->version);
          root.setBlocks(kj::arrayPtr(task_->computed.data(), task_->computed.size()));
          root.setSamples(task_->samples);
          root.setLearningRate(task_->learning_rate);
          root.setValues(
              capnp::Data::Reader(reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()));
        },
        bytes.size() / 8 + task_->computed.size() + 64);
    ask_until_answered(place.shard, request, patience(bytes.size()),
                       [this](Result<Message<schema::Pushed>> answer) { pushed(answer); });
  }
  sum_->clear();
  task_.reset();
  proceed();
}

void WorkerActor::pushed(const Result<Message<schema::Pushed>>& answer) {
  if (!answer) {
    const Errc code = answer.error().code;
    if (code == Errc::invalid_argument || code == Errc::diverged) give_up(answer.error());
    return;
  }
  if (--outgoing_->unanswered > 0) return;
  push_s_ = to_seconds(now() - outgoing_->since);
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
  ask_until_answered(coordinator_, request, retry, [](Result<Message<schema::Completed>>) {});
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
  ask_until_answered(coordinator_, request, retry, [](Result<Message<schema::EvaluationTaken>>) {});
  proceed();
}

}  // namespace slime::actors
