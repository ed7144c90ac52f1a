#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <map>
#include <memory>

#include "tests/sim/training_job.hpp"
#include "tests/sim/unsealed_groups.hpp"
#include "trainer/balance/policies.hpp"
#include "trainer/sync/modes.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using runtime::Message;
namespace data = boost::unit_test::data;

namespace training_sim_test {

void print_events(const runtime::Message<schema::Progress>& progress) {
  progress.read([](schema::Progress::Reader read) {
    BOOST_TEST_MESSAGE("state " << static_cast<int>(read.getState()) << " iteration "
                                << read.getIteration() << " of " << read.getIterations());
    for (const auto event : read.getEvents()) BOOST_TEST_MESSAGE(event.getText().cStr());
  });
}

// The hash that a job ends with, or why it did not.
std::string outcome(TrainingJob& job, Duration limit) {
  const auto progress = job.run(limit);
  for (const auto& line : job.simulation().log_lines())
    BOOST_TEST_MESSAGE(to_seconds(line.time - runtime::simulation_start)
                       << " s " << to_string(line.actor) << " " << line.text);
  if (!progress) return "the coordinator never answered";
  print_events(*progress);
  return progress->read([](schema::Progress::Reader read) -> std::string {
    if (read.getState() == schema::JobState::FINISHED) return read.getParametersSha256().cStr();
    return "state " + std::to_string(static_cast<int>(read.getState())) + " at iteration " +
           std::to_string(read.getIteration()) + ": " + read.getFailure().getContext().cStr();
  });
}

const std::string& undisturbed() {
  static const std::string hash = [] {
    const SmallData files;
    TrainingJob job(1, {}, {}, files);
    const std::string result = outcome(job, 600s);
    BOOST_REQUIRE(result.size() == 64u);
    return result;
  }();
  return hash;
}

// Every listed mode that applies updates on arrival.
std::vector<std::string> asynchronous_modes() {
  std::vector<std::string> names;
  for (const auto& entry : trainer::sync_modes())
    if (!entry.make({})->committed()) names.emplace_back(entry.name);
  return names;
}

// Every listed policy.
std::vector<std::string> policies() {
  std::vector<std::string> names;
  for (const auto& entry : trainer::balance_policies()) names.emplace_back(entry.name);
  return names;
}

// What a fault does, and to which message: drawn from the seed.
struct Fault {
  std::uint64_t type;
  std::uint64_t occurrence;
  runtime::Verdict verdict;
};

template <class... T>
std::vector<std::uint64_t> types() {
  return {runtime::type_id<T>()...};
}

// Every message of the lease protocol, of starting, of taking over, of saving and of loading.
const std::vector<std::uint64_t> protocol =
    types<schema::Next, schema::Grant, schema::Seal, schema::Sealed, schema::Complete,
          schema::Completed, schema::Push, schema::Pushed, schema::Pull, schema::Parameters,
          schema::Commit, schema::Committed, schema::Begin, schema::Begun, schema::Describe,
          schema::Description, schema::Prepare, schema::Prepared, schema::Evaluated,
          schema::EvaluationTaken, schema::Save, schema::Copied, schema::WritePart,
          schema::PartWritten, schema::PartSaved, schema::PartSavedTaken, schema::CommitCheckpoint,
          schema::CheckpointCommitted, schema::Measurement, schema::Loads, schema::Shares,
          schema::Adopt, schema::Inventory, schema::ReadRange, schema::RangeRead,
          schema::SaveFilters, schema::Filters, schema::Enlist, schema::Forget, schema::RunTime>();

Fault draw_fault(Random& random) {
  constexpr runtime::Verdict verdicts[] = {runtime::Verdict::kill_receiver_before,
                                           runtime::Verdict::kill_receiver_after,
                                           runtime::Verdict::kill_sender, runtime::Verdict::drop};
  // Mostly early occurrences: rare messages would otherwise never be hit.
  return {protocol[random.below(protocol.size())],
          random.below(2) ? random.below(4) : random.below(60), verdicts[random.below(4)]};
}

// Has the faults happen as their messages come by. System actors are spared: a dead node agent is
// a dead node, which another test kills.
void inject(TrainingJob& job, std::vector<Fault> faults) {
  auto seen = std::make_shared<std::map<std::uint64_t, std::uint64_t>>();
  job.simulation().observe([faults = std::move(faults), seen](const runtime::Delivery& delivery) {
    if (delivery.to.number < actors::first_free_number ||
        delivery.from.number < actors::first_free_number)
      return runtime::Verdict::deliver;
    const std::uint64_t count = (*seen)[delivery.message.type]++;
    for (const Fault& fault : faults)
      if (fault.type == delivery.message.type && fault.occurrence == count) return fault.verdict;
    return runtime::Verdict::deliver;
  });
}

}  // namespace training_sim_test

BOOST_AUTO_TEST_SUITE(training_sim_test)

BOOST_FIXTURE_TEST_CASE(an_undisturbed_job_finishes, SmallData) {
  TrainingJob job(1, {}, {}, *this);
  const std::string result = outcome(job, 600s);
  BOOST_TEST(result.size() == 64u);
  BOOST_TEST_MESSAGE(result);
}

// Goal: the parameters do not depend on who computed them. (C1, B3: 103 samples, unequal shares.)
BOOST_FIXTURE_TEST_CASE(workers_shards_and_shares_do_not_change_the_parameters, SmallData) {
  for (const std::uint32_t workers : {1U, 2U, 4U})
    for (const std::uint32_t shards : {1U, 3U}) {
      TrainingJob job(5, {}, {.workers = workers, .shards = shards, .speeds = {}}, *this);
      BOOST_TEST(outcome(job, 600s) == undisturbed());
    }
}

// Goal: nor on the policy, the random one included, and whoever dies meanwhile.
BOOST_DATA_TEST_CASE(no_policy_changes_the_parameters, data::make(policies()) * data::xrange(8),
                     policy, number) {
  const SmallData files;
  const auto seed = static_cast<std::uint64_t>(number);
  TrainingJob job(seed, {}, {.policy = policy, .reassign = seed % 3 != 0}, files);
  Random random(seed, 9);
  if (seed > 1) inject(job, {draw_fault(random), draw_fault(random)});
  BOOST_TEST(outcome(job, 3600s) == undisturbed());
}

// Goal: any policy goes with any mode; that a_dsp means adapt_fr is a rule of job files.
BOOST_DATA_TEST_CASE(any_policy_goes_with_any_mode,
                     data::make(policies()) * data::make(asynchronous_modes()), policy, mode) {
  const SmallData files;
  TrainingJob job(1, {}, {.mode = mode, .policy = policy}, files);
  BOOST_TEST(outcome(job, 600s).size() == 64u);
}

// Goal: a node that dies with all that is on it is replaced by the next of its name.
BOOST_DATA_TEST_CASE(a_lost_node_changes_no_parameter, data::xrange(5), victim) {
  const SmallData files;
  TrainingJob job(6, {.detection = 1s}, {.checkpoint_every = 3}, files);
  job.simulation().run_until(job.simulation().now() + 100ms);
  job.replace_node(static_cast<std::size_t>(victim));
  BOOST_TEST(outcome(job, 600s) == undisturbed());
}

// Goal: as by SIGSTOP, a worker that falls silent is worked around; what it says when it wakes
// changes nothing, because it was declared dead.
BOOST_FIXTURE_TEST_CASE(a_worker_that_slept_through_its_death_is_refused, SmallData) {
  TrainingJob job(7, {.detection = 1s}, {}, *this);
  job.simulation().run_until(job.simulation().now() + 60ms);
  job.simulation().pause_node(job.nodes()[1]);
  job.simulation().run_until(job.simulation().now() + 2s);
  job.simulation().resume_node(job.nodes()[1]);
  BOOST_TEST(outcome(job, 600s) == undisturbed());
}

// Goal: the end of every process, then a resume on another number of shards and workers.
BOOST_DATA_TEST_CASE(a_resumed_job_ends_with_the_same_parameters, data::make({1U, 2U, 3U}),
                     shards) {
  const SmallData files;
  {
    TrainingJob job(8, {}, {.checkpoint_every = 3}, files);
    job.simulation().run_until(job.simulation().now() + 150ms);
  }
  TrainingJob job(9, {}, {.workers = 2, .shards = shards, .checkpoint_every = 3, .resume = true},
                  files);
  BOOST_TEST(outcome(job, 600s) == undisturbed());
  const auto progress = job.run(1s);
  BOOST_TEST(progress->read([](auto read) { return read.getResumedFrom(); }) > 0);
}

// Runs until the job's frontier is there.
void run_to(TrainingJob& job, std::uint64_t iteration) {
  std::uint64_t now_at = 0;
  while (now_at < iteration) {
    job.simulation().run_until(job.simulation().now() + 2ms);
    const auto coordinator = job.find("coordinator");
    if (!coordinator) continue;
    const auto progress = job.simulation().call(actors::Coordinator{*coordinator},
                                                Message<schema::GetProgress>::make());
    now_at = progress.value().read([](auto read) { return read.getIteration(); });
  }
}

// Goal: parameters and optimizer slots go on from a checkpoint bit by bit in a_dsp too, after a
// rollback and after a resume.
// Method: a single worker in exact time, so that every run of the job computes each gradient at
// parameters of the same version.
BOOST_DATA_TEST_CASE(a_dsp_goes_on_from_a_checkpoint_as_if_nothing_had_happened,
                     data::xrange(5, 18, 2), iteration) {
  const TrainingJob::Settings settings{
      .mode = "a_dsp", .workers = 1, .epochs = 4, .checkpoint_every = 3, .speeds = {1}};
  const SmallData calm_files, killed_files, resumed_files;
  TrainingJob calm(1, {}, settings, calm_files);
  const std::string expected = outcome(calm, 600s);
  BOOST_REQUIRE(expected.size() == 64u);

  TrainingJob killed(2, {.detection = 1s}, settings, killed_files);
  run_to(killed, static_cast<std::uint64_t>(iteration));
  killed.replace_node(1);
  BOOST_TEST(outcome(killed, 600s) == expected);
  BOOST_TEST(killed.run(1s)->read([](auto read) { return read.getRollbacks(); }) == 1u);

  {
    TrainingJob job(3, {}, settings, resumed_files);
    run_to(job, static_cast<std::uint64_t>(iteration));
  }
  auto again = settings;
  again.resume = true;
  TrainingJob resumed(4, {}, again, resumed_files);
  BOOST_TEST(outcome(resumed, 600s) == expected);
  BOOST_TEST(resumed.run(1s)->read([](auto read) { return read.getResumedFrom(); }) > 0);
}

// Goal: a checkpoint that is not this job's ends the job and is left as the newest there is.
BOOST_FIXTURE_TEST_CASE(a_job_that_does_not_fit_the_checkpoint_is_not_trained, SmallData) {
  {
    TrainingJob job(8, {}, {.checkpoint_every = 3}, *this);
    job.simulation().run_until(job.simulation().now() + 150ms);
  }
  {
    TrainingJob other(9, {}, {.checkpoint_every = 3, .resume = true, .seed = 4}, *this);
    BOOST_TEST(outcome(other, 60s).find("another seed") != std::string::npos);
    // Whatever was under way when it failed goes nowhere.
    other.simulation().run_until(other.simulation().now() + 60s);
    BOOST_TEST(outcome(other, 1s).find("another seed") != std::string::npos);
  }
  TrainingJob job(10, {}, {.checkpoint_every = 3, .resume = true}, *this);
  BOOST_TEST(outcome(job, 600s) == undisturbed());
}

BOOST_FIXTURE_TEST_CASE(a_job_that_is_shorter_than_its_checkpoint_is_refused, SmallData) {
  {
    TrainingJob job(8, {}, {.checkpoint_every = 3}, *this);
    job.simulation().run_until(job.simulation().now() + 200ms);
  }
  TrainingJob shorter(9, {}, {.epochs = 1, .checkpoint_every = 3, .resume = true}, *this);
  BOOST_TEST(outcome(shorter, 60s).find("epochs") != std::string::npos);
}

// Case J1: what cannot work on any try is not tried for ever.
BOOST_FIXTURE_TEST_CASE(a_device_that_is_not_there_ends_the_job, SmallData) {
  TrainingJob job(11, {}, {.device = schema::Device::CUDA}, *this);
  BOOST_TEST(outcome(job, 60s).find("without CUDA") != std::string::npos);
}

// Goal: whoever dies at whichever step, each sample is applied exactly once and the job ends.
// Method: three faults drawn from the seed, each at some occurrence of some message of the
// protocol. In reproducible bsp the parameters are those of the undisturbed job, bit by bit, which
// a sample used twice or missed would change.
BOOST_DATA_TEST_CASE(bsp_gives_the_same_parameters_whoever_dies_when, data::xrange(500), number) {
  const SmallData files;
  const auto seed = static_cast<std::uint64_t>(number);
  Random random(seed, 7);
  const bool saves = random.below(2) == 1;
  runtime::LinkModel link;
  link.loss = random.below(3) == 0 ? 0.02 : 0;
  TrainingJob job(seed, link, {.reassign = seed % 3 != 0, .checkpoint_every = saves ? 3U : 0U},
                  files);
  inject(job, {draw_fault(random), draw_fault(random), draw_fault(random)});
  BOOST_TEST(outcome(job, 3600s) == undisturbed());
}

// As above; here the shards' own check stands for exactness: they refuse a block that is in
// already, which fails the job, and it only ends when all are in.
BOOST_DATA_TEST_CASE(every_mode_applies_each_block_once_whoever_dies_when,
                     data::make(asynchronous_modes()) * data::xrange(100), mode, number) {
  const SmallData files;
  const auto seed = static_cast<std::uint64_t>(number);
  Random random(seed, 8);
  const bool saves = random.below(2) == 1;
  runtime::LinkModel link;
  link.loss = random.below(3) == 0 ? 0.02 : 0;
  TrainingJob job(seed, link,
                  {.mode = mode, .reassign = seed % 3 != 0, .checkpoint_every = saves ? 3U : 0U},
                  files);
  inject(job, {draw_fault(random), draw_fault(random), draw_fault(random)});
  BOOST_TEST(outcome(job, 3600s).size() == 64u);
}

// Goal: a worker that dies with two unsealed groups, or with one being sealed or pushed beside the
// next, leaves no trace of either.
// Method: the fault waits until somebody has a lease ahead, and then for a message of one type from
// or to that worker; the first of them is the lease itself.
BOOST_DATA_TEST_CASE(a_dsp_applies_each_block_once_whoever_dies_with_a_lease_ahead,
                     data::xrange(300), number) {
  const SmallData files;
  const auto seed = static_cast<std::uint64_t>(number);
  Random random(seed, 9);
  const auto types_hit =
      types<schema::Grant, schema::Next, schema::Seal, schema::Sealed, schema::Push, schema::Pushed,
            schema::Pull, schema::Parameters, schema::Complete, schema::Completed>();
  const std::uint64_t type = types_hit[random.below(types_hit.size())];
  const runtime::Verdict verdict = draw_fault(random).verdict;
  std::uint64_t left = random.below(8);
  TrainingJob job(seed, {}, {.mode = "a_dsp", .epochs = 4, .reassign = seed % 3 != 0}, files);
  UnsealedGroups unsealed;
  bool hit = false;
  job.simulation().observe([&](const runtime::Delivery& delivery) {
    unsealed.see(delivery);
    const bool has_two = unsealed.of(delivery.to) > 1 || unsealed.of(delivery.from) > 1;
    if (hit || !has_two || delivery.message.type != type || left-- > 0)
      return runtime::Verdict::deliver;
    hit = true;
    return verdict;
  });
  BOOST_TEST(outcome(job, 3600s).size() == 64u);
  BOOST_TEST(unsealed.ahead() > 0u);
}

BOOST_AUTO_TEST_SUITE_END()
