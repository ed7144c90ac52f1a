#include "actors/system/membership.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/actors/system/small_cluster.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;

namespace membership_test {

/// Records every Members it is told.
class Listener : public runtime::Actor<actors::MembersListener> {
 public:
  Listener(runtime::Host& host, std::vector<std::uint64_t>* versions)
      : Actor(host), versions_(versions) {
    on(&Listener::members);
  }

  static runtime::ActorType type(std::vector<std::uint64_t>* versions) {
    return {
        "listener", runtime::Turns::computing,
        [versions](runtime::Host& host, const runtime::AnyMessage&) {
          return std::unique_ptr<runtime::Behaviour>(std::make_unique<Listener>(host, versions));
        }};
  }

 private:
  void members(const runtime::Message<schema::Members>& message) {
    versions_->push_back(message.read([](auto root) { return root.getVersion(); }));
  }

  std::vector<std::uint64_t>* versions_;
};

struct Fixture : SmallCluster {
  Result<runtime::Message<schema::Members>> leave(NodeId node, const std::string& why) {
    return sim.call(membership(),
                    runtime::Message<schema::Leave>::make([&](schema::Leave::Builder root) {
                      runtime::write_node(root.initNode(), node);
                      root.setIncarnation(sim.incarnation(node));
                      root.setReason(why);
                    }));
  }
};

}  // namespace membership_test

BOOST_FIXTURE_TEST_SUITE(membership_test, Fixture)

BOOST_AUTO_TEST_CASE(who_joins_is_alive_and_joining_again_changes_nothing) {
  const NodeId worker = add("worker-0");
  BOOST_TEST(state("worker-0") == "alive");
  BOOST_TEST(bool(join(worker, "worker-0", {"worker"})));
  BOOST_TEST(state("head") == "alive");
}

BOOST_AUTO_TEST_CASE(the_name_of_the_living_is_refused_and_says_who_has_it) {
  const NodeId worker = add("worker-0");
  const auto second = join(start("other", {}), "worker-0", {});
  BOOST_TEST((second.error().code == Errc::already_exists));
  BOOST_TEST(second.error().context.find(to_string(worker)) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_name_of_the_dead_and_of_those_who_left_is_free) {
  const NodeId first = add("worker-0");
  report(head, first, true, "killed");
  run(100ms);
  BOOST_TEST(state("worker-0") == "dead: killed");
  const NodeId second = add("worker-0");
  BOOST_TEST(state("worker-0") == "alive");
  BOOST_REQUIRE(leave(second, "drained"));
  BOOST_TEST(state("worker-0") == "left: drained");
  add("worker-0");
  BOOST_TEST(state("worker-0") == "alive");
}

BOOST_AUTO_TEST_CASE(the_declared_dead_stay_dead) {
  const NodeId worker = add("worker-0");
  report(head, worker, true, "killed");
  report(head, worker, false, "", true);
  run(100ms);
  BOOST_TEST(state("worker-0") == "dead: killed");
  BOOST_TEST((join(worker, "worker-0", {}).error().code == Errc::stale));
}

BOOST_AUTO_TEST_CASE(a_suspect_that_is_heard_again_is_alive) {
  const NodeId worker = add("worker-0");
  report(head, worker, false, "silent for 1 s");
  run(100ms);
  BOOST_TEST(state("worker-0") == "suspect: silent for 1 s");
  report(head, worker, false, "", true);
  run(100ms);
  BOOST_TEST(state("worker-0") == "alive");
}

BOOST_AUTO_TEST_CASE(one_lost_link_between_members_is_suspicion_and_two_are_death) {
  const NodeId first = add("worker-0");
  const NodeId second = add("worker-1");
  const NodeId third = add("worker-2");
  report(second, first, true, "lost");
  run(100ms);
  BOOST_TEST(state("worker-0") == "suspect: lost");
  report(second, first, true, "lost");
  run(100ms);
  BOOST_TEST(state("worker-0") == "suspect: lost");
  report(third, first, true, "lost");
  run(100ms);
  BOOST_TEST(state("worker-0") == "dead: lost");
}

// Goal: two whose link is gone for good, and nobody else's, do not stay suspect for ever.
BOOST_AUTO_TEST_CASE(of_two_that_have_lost_each_other_the_later_one_starts_anew) {
  const NodeId first = add("worker-0");
  const NodeId second = add("worker-1");
  report(second, first, true, "lost");
  run(5s);
  BOOST_TEST(state("worker-0") == "suspect: lost");
  report(first, second, true, "lost");
  run(100ms);
  BOOST_TEST(state("worker-1") == "suspect: lost");
  run(5s);
  BOOST_TEST(state("worker-0") == "alive");
  BOOST_TEST(state("worker-1") == "dead: it and member worker-0 have lost each other");
}

// Goal: who is declared dead, but lives and has lost everybody, cannot make them suspect for ever.
BOOST_AUTO_TEST_CASE(what_the_dead_say_of_others_is_nothing) {
  add("worker-0");
  const NodeId first = add("worker-1");
  const NodeId second = add("worker-2");
  report(head, second, true, "its link is closed");
  run(100ms);
  report(second, first, true, "its link is closed");
  run(100ms);
  BOOST_TEST(state("worker-1") == "alive");
}

BOOST_AUTO_TEST_CASE(what_a_witness_said_dies_with_it) {
  const NodeId first = add("worker-0");
  const NodeId second = add("worker-1");
  report(second, first, true, "lost");
  report(head, second, true, "killed");
  run(100ms);
  BOOST_TEST(state("worker-0") == "alive");
}

BOOST_AUTO_TEST_CASE(a_killed_node_is_declared_dead_within_the_detection_time) {
  const NodeId worker = add("worker-0");
  run(1s);
  sim.kill_node(worker);
  run(6s);
  BOOST_TEST(state("worker-0").starts_with("dead: "));
}

BOOST_AUTO_TEST_CASE(subscribers_hear_the_present_and_every_change) {
  std::vector<std::uint64_t> versions;
  const NodeId worker = add("worker-0");
  const ActorAddress listener = sim.spawn(worker, Listener::type(&versions), {}).value();
  const auto subscribed = sim.call(
      membership(),
      runtime::Message<schema::SubscribeMembers>::make([&](schema::SubscribeMembers::Builder root) {
        runtime::write_address(root.initSubscriber(), listener);
      }));
  const auto version = subscribed.value().read([](auto root) { return root.getVersion(); });
  add("worker-1");
  run(10ms);
  BOOST_REQUIRE(versions.size() >= 2u);
  BOOST_TEST(versions.front() == version);
  BOOST_TEST(versions.back() == version + 1);
}

BOOST_AUTO_TEST_CASE(what_a_lossy_link_loses_is_told_again) {
  const NodeId worker = add("worker-0");
  runtime::LinkModel deaf;
  deaf.loss = 1;
  sim.set_link(deaf);
  add("worker-1");
  run(1s);
  BOOST_TEST(!node(worker).known.contains("worker-1"));
  sim.set_link({});
  run(5s);
  BOOST_TEST(node(worker).known.contains("worker-1"));
}

BOOST_AUTO_TEST_CASE(the_dead_stay_dead_for_the_next_process_of_the_head) {
  const NodeId dead = add("worker-0");
  const NodeId gone = add("worker-1");
  report(head, dead, true, "killed");
  run(100ms);
  BOOST_REQUIRE(leave(gone, "drained"));
  restart_head();
  BOOST_TEST(state("worker-0") == "dead: killed");
  BOOST_TEST(state("worker-1") == "left: drained");
  BOOST_TEST((join(dead, "worker-0", {}).error().code == Errc::stale));
  BOOST_TEST((join(gone, "worker-1", {}).error().code == Errc::stale));
  BOOST_TEST(state("head") == "alive");
}

BOOST_AUTO_TEST_CASE(who_was_there_is_suspect_until_it_joins_the_next_process_of_the_head) {
  const NodeId back = add("worker-0");
  const NodeId lost = add("worker-1");
  restart_head();
  BOOST_TEST(state("worker-0") == "suspect: not heard since the head was started again");
  BOOST_TEST(bool(join(back, "worker-0", {"worker"})));
  BOOST_TEST(state("worker-0") == "alive");
  report(head, lost, true, "it cannot be reached");
  run(100ms);
  BOOST_TEST(state("worker-1") == "dead: it cannot be reached");
  // Its name is taken as long as it may come back, and no longer.
  restart_head();
  BOOST_TEST((join(start("other", {}), "worker-0", {}).error().code == Errc::already_exists));
  BOOST_TEST(bool(join(start("another", {}), "worker-1", {})));
}

// Goal: members take the news of the next process for news.
BOOST_AUTO_TEST_CASE(versions_go_on_where_the_last_process_of_the_head_ended) {
  const auto version = [this] {
    return sim.call(membership(), Message<schema::GetMembers>::make()).value().read([](auto root) {
      return root.getVersion();
    });
  };
  add("worker-0");
  const auto before = version();
  restart_head();
  BOOST_TEST(version() > before);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_kept_is_not_told) {
  const NodeId worker = add("worker-0");
  kept.broken = Error{Errc::io_error, "no space left"};
  const auto refused = join(start("worker-1", {}), "worker-1", {});
  BOOST_REQUIRE(!refused);
  BOOST_TEST((refused.error().code == Errc::io_error));
  run(5s);
  BOOST_TEST(!node(worker).known.contains("worker-1"));
  BOOST_TEST(!sim.alive(membership().address));
}

BOOST_AUTO_TEST_SUITE_END()
