#include "actors/training/coordinator.hpp"

#include <algorithm>
#include <utility>

#include "actors/training/job_parts.hpp"

namespace slime::actors {

using namespace std::chrono_literals;

namespace {

constexpr Duration retry = 1s;
// Loading the data takes a while; asked again until it is done.
constexpr Duration describe_retry = 5s;
// How long the first to describe itself waits for places that stay vacant; and how often it is
// looked again whether enough of those that are there have described themselves.
constexpr Duration agreement_patience = 20s;
constexpr Duration replacement_pause = 500ms;
// Large data may take long to load, but whoever says nothing for this long holds up nobody else.
constexpr Duration loading_patience = 600s;
// What kills the workers of every place so often, such as a model larger than the memory, will kill
// the next.
constexpr int lost_loading_max = 5;

}  // namespace

void CoordinatorActor::ask_description(std::uint32_t worker, const Worker& ref) {
  ask_until_answered(ref, Message<schema::Describe>::make(), describe_retry,
                     [this, worker, ref](Result<Message<schema::Description>> answer) {
                       if (workers_[worker].worker == ref) described(worker, answer);
                     });
  after(loading_patience, [this, worker, ref] {
    const WorkerSlot& slot = workers_[worker];
    if (slot.worker == ref && slot.state == WorkerSlot::State::spawning && !crew_.failure(worker))
      fell_silent(worker);
  });
}

void CoordinatorActor::described(std::uint32_t worker,
                                 const Result<Message<schema::Description>>& answer) {
  workers_[worker].lost_loading = 0;
  workers_[worker].silent = false;
  lost_on_.erase(workers_[worker].node);
  if (answer)
    answer->read([&](schema::Description::Reader read) {
      crew_.hear(worker, CrewTraits{read.getSamples(), read.getTestSamples(), read.getInputs(),
                                    read.getDataHash(), read.getProbeHash()});
      obeyed_term_ = std::max(obeyed_term_, read.getTerm());
      workers_[worker].state = WorkerSlot::State::described;
    });
  else
    crew_.hear(worker, answer.error());
  if (!description_) return settle_crew(false);
  if (refuse_misfit(worker)) return;
  if (running() && obeyed_term_ >= term_)
    return roll_back("worker " + std::to_string(worker) +
                     " obeys a later term than this coordinator's");
  if (!adopted_.empty()) return rebuild_when_described();
  if (running()) return begin(worker);
  start_when_ready();
}

void CoordinatorActor::settle_crew(bool late) {
  if (description_ || ended()) return;
  const auto present = std::ranges::count_if(
      workers_, [](const WorkerSlot& slot) { return slot.state != WorkerSlot::State::vacant; });
  // Not more than half of the places, or one with other data might decide for all.
  const auto silent = std::min(std::ranges::count_if(workers_, &WorkerSlot::silent),
                               static_cast<std::ptrdiff_t>(workers_.size() / 2));
  const auto verdict =
      crew_.settle(late ? static_cast<std::size_t>(present - silent) : workers_.size());
  if (!verdict) {
    if (late) tell_failures();
    if (!crew_timer_)
      crew_timer_ = after(agreement_patience, [this] {
        crew_timer_.reset();
        settle_crew(true);
      });
    return;
  }
  if (!verdict->traits) {
    const Error& why = *crew_.failure(verdict->speaker);
    return fail(Error{why.code, "worker " + std::to_string(verdict->speaker) + ": " + why.context});
  }
  if (const Status settled = settle_on(*verdict->traits); !settled) return fail(settled.error());
  if (!adopted_.empty()) return rebuild_when_described();
  start_when_ready();
}

void CoordinatorActor::fell_silent(std::uint32_t worker) {
  if (ended()) return;
  workers_[worker].silent = true;
  const std::string text =
      "worker " + std::to_string(worker) + " has said nothing of its data for " +
      std::to_string(loading_patience / 1s) + " s; the job waits no longer for it";
  event(text);
  fail_if_hopeless(text);
  settle_crew(true);
}

void CoordinatorActor::fail_if_hopeless(const std::string& last) {
  if (description_ || adopting_ || ended()) return;
  const std::string* lost = nullptr;
  for (const WorkerSlot& slot : workers_) {
    if (slot.lost_loading > 0 && !(lost && *lost == last)) lost = &slot.absent_because;
    if (slot.lost_loading < lost_loading_max && !slot.silent) return;
  }
  if (!lost) return;
  fail(
      Error{Errc::internal, last + (last == *lost ? "" : "; " + *lost) +
                                "; so did those before it while they loaded their data: check that "
                                "the data and the model fit into the memory"});
}

void CoordinatorActor::tell_failures() {
  for (std::uint32_t worker = 0; worker < workers_.size(); ++worker) {
    const Error* why = crew_.failure(worker);
    if (!why) continue;
    std::string text = "worker " + std::to_string(worker) + " cannot take part: " + why->context;
    if (std::exchange(workers_[worker].absent_because, text) != text) event(text);
  }
}

Status CoordinatorActor::settle_on(const CrewTraits& traits) {
  const auto model = trainer::Model::build(layer_texts(job()), traits.inputs);
  if (!model) return model.error();
  auto schedule = schedule_of(job(), traits.samples);
  if (!schedule) return schedule.error();
  schedule_ = *schedule;
  parameters_ = model->parameter_count();
  description_ = traits;
  for (std::uint32_t worker = 0; worker < workers_.size(); ++worker) refuse_misfit(worker);
  return ok();
}

void CoordinatorActor::worker_died(std::uint32_t worker, const std::string& why) {
  const std::string text = "worker " + std::to_string(worker) + " died: " + why;
  WorkerSlot& slot = workers_[worker];
  if (slot.state == WorkerSlot::State::spawning) {
    ++slot.lost_loading;
    ++lost_on_[slot.node];
  }
  vacate(worker, text, replacement_pause);
  fail_if_hopeless(text);
}

bool CoordinatorActor::refuse_misfit(std::uint32_t worker) {
  const std::string objection = crew_.objection(worker, *description_);
  if (objection.empty()) return false;
  excluded_.insert(workers_[worker].node);
  vacate(worker, "worker " + std::to_string(worker) + " " + objection, retry);
  return true;
}

}  // namespace slime::actors
