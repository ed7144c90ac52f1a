#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <new>
#include <optional>
#include <span>
#include <string_view>

#include "actors/training/coordinator.hpp"
#include "tests/actors/training/mortal.hpp"
#include "tests/actors/training/stranger.hpp"
#include "tests/sim/training_job.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using runtime::Message;

namespace coordinator_agreement_test {

/// A job whose first place has a stranger on the first node: another node may take it.
struct Agreeing : TempDir {
  Agreeing() { write_small_data(*this); }

  /// @param load_time  How long all but the stranger take to load their data.
  void train(std::uint32_t workers, const Stranger::Says& says, Duration load_time = {}) {
    std::optional<NodeId> first;
    TrainingJob job(1, {}, {.workers = workers, .speeds = {}}, *this,
                    with_strangers([&first](NodeId node) { return first == node; }, says));
    first = job.nodes()[0];
    const Instant loaded = job.simulation().now() + load_time;
    // Who is not asked in time is asked again.
    job.simulation().observe([&](const runtime::Delivery& delivery) {
      const bool early = delivery.message.type == runtime::type_id<schema::Describe>() &&
                         delivery.to.node != *first && delivery.now < loaded;
      return early ? runtime::Verdict::drop : runtime::Verdict::deliver;
    });
    progress = job.run(600s);
    BOOST_REQUIRE(progress.has_value());
  }
  unsigned told(std::string_view part) const { return tests::told(*progress, part); }
  void check_that_only_the_stranger_was_refused(std::string_view why) const {
    progress->read([](schema::Progress::Reader read) {
      BOOST_TEST((read.getState() == schema::JobState::FINISHED),
                 read.getFailure().getContext().cStr());
      BOOST_TEST(read.getRollbacks() == 0u);
    });
    BOOST_TEST(told(why) == 1u);
    BOOST_TEST(told("its data are not the others'") + told("cannot take part") == 1u);
  }

  std::optional<Message<schema::Progress>> progress;
};

}  // namespace coordinator_agreement_test

BOOST_FIXTURE_TEST_SUITE(coordinator_agreement_test, Agreeing)

// Goal: one worker with other data is refused, be it the first, and not all the others.
BOOST_AUTO_TEST_CASE(a_worker_with_other_data_than_the_most_is_refused) {
  train(3, strange_description());
  check_that_only_the_stranger_was_refused("its data are not the others'");
}

// Goal: little data are loaded sooner than much, so who is first is the likelier to be wrong.
BOOST_AUTO_TEST_CASE(the_first_does_not_decide_however_long_the_others_load) {
  for (const Duration load_time : {30s, 100s}) {
    train(4, strange_description(), load_time);
    check_that_only_the_stranger_was_refused("its data are not the others'");
  }
}

BOOST_AUTO_TEST_CASE(a_failure_is_not_the_job_s_while_the_others_load) {
  train(4, Error{Errc::not_found, "no such file"}, 30s);
  check_that_only_the_stranger_was_refused("cannot take part: no such file");
}

// Goal: what kills every worker while it loads, such as a model larger than the memory, ends the
// job and not only the workers.
BOOST_AUTO_TEST_CASE(workers_that_all_die_while_they_load_fail_the_job) {
  TrainingJob job(1, {}, {.workers = 3, .speeds = {}}, *this,
                  with_mortal_workers([](NodeId) { return true; }));
  job.run(600s)->read([](schema::Progress::Reader read) {
    BOOST_TEST((read.getState() == schema::JobState::FAILED));
    const std::string why = read.getFailure().getContext().cStr();
    BOOST_TEST(why.find("std::bad_alloc") != std::string::npos, why);
    BOOST_TEST(why.find("so did those before it") != std::string::npos, why);
  });
}

// Goal: a worker that hangs while it loads does not keep such a job alive for ever, and none is
// ended by hanging alone.
BOOST_AUTO_TEST_CASE(a_silent_worker_does_not_keep_a_job_alive_in_which_all_others_die) {
  for (const bool others_die : {true, false}) {
    std::optional<NodeId> hung;
    TrainingJob job(1, {}, {.workers = 3, .speeds = {}}, *this,
                    with_mortal_workers([&](NodeId node) { return others_die && hung != node; }));
    hung = job.nodes()[2];
    job.simulation().observe([&](const runtime::Delivery& delivery) {
      const bool asked = delivery.message.type == runtime::type_id<schema::Describe>();
      return asked ? runtime::Verdict::drop : runtime::Verdict::deliver;
    });
    progress = job.run(3600s);
    progress->read([&](schema::Progress::Reader read) {
      BOOST_TEST((read.getState() == schema::JobState::FAILED) == others_die);
      const std::string why = read.getFailure().getContext().cStr();
      for (const char* part : {"has said nothing of its data for 600 s", "std::bad_alloc"})
        BOOST_TEST((why.find(part) != std::string::npos) == others_die, why);
    });
    BOOST_TEST(told("has said nothing of its data") > 0u);
  }
}

// Goal: nor does it keep one waiting that can be trained without it; but few do not decide for
// most.
BOOST_AUTO_TEST_CASE(up_to_half_of_the_workers_are_not_waited_for_when_they_are_silent) {
  for (const std::uint32_t silent : {2, 3}) {
    TrainingJob job(1, {}, {.workers = 4, .speeds = {}}, *this);
    job.simulation().observe([&](const runtime::Delivery& delivery) {
      const auto nodes = std::span(job.nodes()).first(silent);
      const bool asked = delivery.message.type == runtime::type_id<schema::Describe>();
      return asked && std::ranges::count(nodes, delivery.to.node) ? runtime::Verdict::drop
                                                                  : runtime::Verdict::deliver;
    });
    progress = job.run(1800s);
    progress->read([&](schema::Progress::Reader read) {
      BOOST_TEST((read.getState() == schema::JobState::FINISHED) == (silent == 2));
    });
    BOOST_TEST(told("has said nothing of its data") == silent);
  }
}

// Goal: nor does one node on which every worker dies end it while the others load.
BOOST_AUTO_TEST_CASE(a_node_on_which_workers_die_does_not_fail_the_job) {
  std::optional<NodeId> deadly;
  TrainingJob job(1, {}, {.workers = 4, .speeds = {}}, *this,
                  with_mortal_workers([&deadly](NodeId node) { return deadly == node; }));
  deadly = job.nodes()[0];
  const Instant loaded = job.simulation().now() + 30s;
  job.simulation().observe([&](const runtime::Delivery& delivery) {
    const bool early =
        delivery.message.type == runtime::type_id<schema::Describe>() && delivery.now < loaded;
    return early ? runtime::Verdict::drop : runtime::Verdict::deliver;
  });
  job.run(600s)->read([](schema::Progress::Reader read) {
    BOOST_TEST((read.getState() == schema::JobState::FINISHED),
               read.getFailure().getContext().cStr());
  });
}

BOOST_AUTO_TEST_SUITE_END()
