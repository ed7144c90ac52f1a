#include "tools/slime/chaos/simulated/job_follower.hpp"

#include <boost/test/unit_test.hpp>

#include "runtime/actor/actor.hpp"
#include "runtime/wire/address.hpp"
#include "tests/tools/slime/chaos/simulated/staged.hpp"
#include "tests/tools/slime/chaos/told_run.hpp"

using namespace slime;
using namespace slime::tests;
using namespace slime::tools;
using namespace std::chrono_literals;
using runtime::Message;

namespace job_follower_test {

/// What the coordinators of a made-up job say, one after the other.
struct Said {
  schema::JobState state = schema::JobState::TRAINING;
  std::string failure;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> rollbacks;  ///< From, to.
  std::string reason;
};

/// A coordinator that says what it is told to.
class Puppet final : public runtime::Actor<actors::CoordinatorProtocol> {
 public:
  Puppet(runtime::Host& host, const Said& said) : Actor(host), said_(said) {
    on(&Puppet::progress);
    on(&Puppet::record);
  }

 private:
  void progress(const Message<schema::GetProgress>&, runtime::Reply<schema::Progress> reply) {
    reply.send(Message<schema::Progress>::make([this](schema::Progress::Builder root) {
      root.setState(said_.state);
      if (!said_.failure.empty()) {
        root.initFailure().setCode(1);
        root.getFailure().setContext(said_.failure);
      }
    }));
  }
  void record(const Message<schema::GetRecord>& request, runtime::Reply<schema::Record> reply) {
    const auto from = request.read([](auto read) { return read.getFrom(); });
    reply.send(Message<schema::Record>::make([&](schema::Record::Builder root) {
      const auto count = static_cast<unsigned>(said_.rollbacks.size() - from);
      auto entries = root.initEntries(count);
      for (unsigned i = 0; i < count; ++i) {
        auto back = entries[i].initRolledBack();
        back.setFromIteration(said_.rollbacks[from + i].first);
        back.setToIteration(said_.rollbacks[from + i].second);
        back.setReason(said_.reason);
      }
      root.setNext(said_.rollbacks.size());
    }));
  }

  const Said& said_;
};

struct Followed : Staged {
  Said said;
  RunTrace trace{ToldRun::plan, true};
  DirectoryHistory directory;
  JobFollower follower{stage, "tiny", trace, directory};

  ActorAddress coordinator() {
    const runtime::ActorType type{"puppet", runtime::Turns::brief,
                                  [this](runtime::Host& host, const runtime::AnyMessage&) {
                                    return std::make_unique<Puppet>(host, said);
                                  }};
    const auto address = stage.simulation().spawn(stage.cluster().head(), type, {}).value();
    const auto bind = Message<schema::Register>::make([&](schema::Register::Builder root) {
      root.setName("job/tiny/coordinator");
      runtime::write_address(root.initAddress(), address);
      root.setReplace(true);
    });
    BOOST_REQUIRE(bool(stage.simulation().call(stage.cluster().directory(), bind, 5s)));
    return address;
  }
  void look() {
    follower.look();
    run(2s);
  }
};

}  // namespace job_follower_test

BOOST_FIXTURE_TEST_SUITE(job_follower_test, job_follower_test::Followed)

BOOST_AUTO_TEST_CASE(it_takes_what_the_coordinator_tells_and_each_entry_once) {
  follower.begin(false);
  look();
  BOOST_TEST(trace.lines() == 1U);
  coordinator();
  said.rollbacks = {{0, 0}};
  said.reason = "a shard died";
  look();
  look();
  BOOST_TEST(trace.rollbacks() == 1U);
  BOOST_TEST(!follower.end().has_value());
  BOOST_TEST(directory.looks() == 3U);
  BOOST_TEST(directory.names() == 1U);
}

BOOST_AUTO_TEST_CASE(another_coordinator_counts_anew_and_what_was_lost_with_the_first_is_a_gap) {
  follower.begin(false);
  const auto first = coordinator();
  said.rollbacks = {{0, 0}};
  look();
  BOOST_REQUIRE(bool(stage.simulation().kill_actor(first, {Errc::internal, "by the test"})));
  coordinator();
  look();
  // The header, two rollbacks and the gap between them.
  BOOST_TEST(trace.lines() == 4U);
  BOOST_TEST(!directory.violation().has_value());
}

BOOST_AUTO_TEST_CASE(the_end_is_taken_down_with_its_reason) {
  follower.begin(false);
  coordinator();
  said.state = schema::JobState::FAILED;
  said.failure = "out of paper";
  look();
  BOOST_REQUIRE(follower.end().has_value());
  BOOST_TEST((*follower.end() == schema::JobState::FAILED));
  BOOST_TEST(follower.last_words() == "out of paper");
  BOOST_REQUIRE(trace.end().has_value());
  BOOST_TEST(trace.end()->reason == "out of paper");
}

BOOST_AUTO_TEST_CASE(a_shard_that_has_not_what_it_acknowledged_is_told) {
  follower.begin(false);
  coordinator();
  said.rollbacks = {{0, 0}};
  said.reason = "a shard refused a commit: group 7 is not staged";
  look();
  BOOST_TEST(follower.lost_update().value_or("") == said.reason);
}

BOOST_AUTO_TEST_SUITE_END()
