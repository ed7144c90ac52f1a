#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "actors/training/parameter_shard.hpp"
#include "tests/actors/training/standby_stage.hpp"

using namespace slime;
using namespace slime::tests;
namespace data = boost::unit_test::data;

namespace parameter_shard_forwarding_test {

const std::vector<std::uint32_t> all_blocks{0, 1, 2, 3, 4, 5};

bool fine(const StandbyStage::Answer& answer) {
  return answer && *answer;
}

bool failed(const StandbyStage::Answer& answer, Errc code) {
  return answer && !*answer && answer->error().code == code;
}

}  // namespace parameter_shard_forwarding_test

BOOST_AUTO_TEST_SUITE(parameter_shard_forwarding_test)

// Goal: whatever was acknowledged is there once the standby takes the shard's place, bit by bit.
BOOST_DATA_TEST_CASE(the_standby_has_what_was_acknowledged, data::make({"bsp", "a_dsp"}), mode) {
  StandbyStage stage(mode);
  stage.replicate(stage.standby);
  BOOST_REQUIRE(stage.ready());
  StandbyStage::Answer one, two, three;
  stage.push(1, {0, 1, 2}, 12, one);
  stage.push(2, {3, 4, 5}, 5, two);
  BOOST_TEST((fine(one) && fine(two)));
  if (stage.mode_ == "bsp") BOOST_TEST(bool(stage.commit(0, {1, 2})));
  stage.push(3, {0, 3}, 7, three, 1);
  BOOST_TEST(fine(three));
  const auto expected = stage.values(stage.shard);
  stage.end(stage.shard.address);
  stage.adopt(stage.standby, 4).read([&](schema::Inventory::Reader read) {
    BOOST_TEST(read.getVersion() == 1u);
    BOOST_REQUIRE(read.getGroups().size() == 1u);
    BOOST_TEST(read.getGroups()[0].getGroup() == 3u);
    BOOST_TEST(read.getLastCommit().size() == (stage.mode_ == "bsp" ? 2u : 0u));
  });
  BOOST_TEST(stage.values(stage.standby, 4) == expected);
}

// Goal: nobody is answered before the standby has it, however often it is asked.
BOOST_DATA_TEST_CASE(nothing_is_acknowledged_before_the_standby_has_it,
                     data::make({"bsp", "a_dsp"}), mode) {
  StandbyStage stage(mode);
  stage.replicate(stage.standby);
  BOOST_REQUIRE(stage.ready());
  StandbyStage::Answer first, again;
  stage.cut(true);
  stage.push(1, all_blocks, 12, first);
  stage.push(1, all_blocks, 12, again);
  BOOST_TEST((!first && !again));
  stage.cut(false);
  stage.run(2s);
  BOOST_TEST((fine(first) && fine(again)));
  stage.adopt(stage.standby, 0).read([&](schema::Inventory::Reader read) {
    BOOST_TEST((read.getGroups().size() == 1u || read.getVersion() == 1u));
  });
}

BOOST_AUTO_TEST_CASE(a_commit_is_acknowledged_once_the_standby_has_it) {
  StandbyStage stage;
  stage.replicate(stage.standby);
  StandbyStage::Answer pushed;
  stage.push(1, all_blocks, 12, pushed);
  BOOST_REQUIRE(fine(pushed));
  stage.cut(true);
  bool committed = false;
  stage.coordinator.ask(stage.shard,
                        Message<schema::Commit>::make([](schema::Commit::Builder root) {
                          root.setTerm(3);
                          root.initGroups(1).set(0, 1);
                        }),
                        60s, [&committed](const auto& answer) { committed = bool(answer); });
  stage.run(1s);
  BOOST_TEST(!committed);
  // Whoever pulls need not wait: what is decided can always be completed.
  const auto values = stage.values(stage.shard);
  stage.cut(false);
  stage.run(2s);
  BOOST_TEST(committed);
  stage.adopt(stage.standby, 4);
  BOOST_TEST(stage.values(stage.standby, 4) == values);
}

// Goal: updates that are applied on arrival are applied in the same order, whatever is lost on the
// way. Method: damping makes the order show; a quarter of the messages between the two is lost.
BOOST_AUTO_TEST_CASE(the_standby_applies_in_the_same_order) {
  StandbyStage stage("asp");
  stage.replicate(stage.standby);
  Random random(5);
  stage.simulation.observe([&](const runtime::Delivery& delivery) {
    const ActorAddress shard = stage.shard.address, standby = stage.standby.address;
    const bool between = (delivery.from == shard && delivery.to == standby) ||
                         (delivery.from == standby && delivery.to == shard);
    return between && random.below(4) == 0 ? runtime::Verdict::drop : runtime::Verdict::deliver;
  });
  std::vector<StandbyStage::Answer> answers(6);
  for (std::uint32_t block = 0; block < 6; ++block)
    stage.push(block + 1, {block}, 3.0F / static_cast<float>(block + 1), answers[block]);
  stage.run(60s);
  for (const auto& answer : answers) BOOST_TEST(fine(answer));
  const auto expected = stage.values(stage.shard);
  stage.adopt(stage.standby, 4);
  BOOST_TEST(stage.values(stage.standby, 4) == expected);
}

// Goal: a shard that has lost its standby answers only when the coordinator knows, which would
// otherwise put a standby in its place that lacks what was answered.
BOOST_AUTO_TEST_CASE(without_its_standby_it_waits_for_the_coordinator_to_know) {
  StandbyStage stage;
  stage.replicate(stage.standby);
  stage.keeper->takes_note = false;
  stage.end(stage.standby.address);
  BOOST_REQUIRE(!stage.keeper->losses.empty());
  stage.keeper->losses[0].read([&](schema::StandbyLost::Reader read) {
    BOOST_TEST(read.getTerm() == 3u);
    BOOST_TEST((runtime::read_address(read.getStandby()) == stage.standby.address));
    BOOST_TEST(read.getFailure().getCode() != 0u);
  });
  StandbyStage::Answer pushed, next;
  stage.push(1, {0}, 1, pushed);
  stage.run(5s);
  BOOST_TEST(!pushed);
  stage.keeper->takes_note = true;
  stage.run(5s);
  BOOST_TEST(fine(pushed));
  stage.push(2, {1}, 1, next);
  BOOST_TEST(fine(next));
}

// Goal: a standby that hangs holds up nobody for ever. Method: it is there and answers nothing.
BOOST_AUTO_TEST_CASE(a_standby_that_does_not_answer_is_given_up) {
  StandbyStage stage;
  stage.replicate(stage.standby);
  stage.simulation.observe([&](const runtime::Delivery& delivery) {
    return delivery.to == stage.standby.address ? runtime::Verdict::drop
                                                : runtime::Verdict::deliver;
  });
  StandbyStage::Answer pushed;
  stage.push(1, {0}, 1, pushed);
  stage.run(5s);
  BOOST_TEST(!pushed);
  stage.run(20s);
  BOOST_TEST(fine(pushed));
  BOOST_TEST(stage.keeper->losses.size() == 1u);
}

// Goal: a shard whose standby took its place, and which does not know it, acknowledges nothing.
BOOST_AUTO_TEST_CASE(a_shard_that_was_replaced_acknowledges_nothing) {
  StandbyStage stage;
  stage.replicate(stage.standby);
  stage.adopt(stage.standby, 4);
  StandbyStage::Answer pushed, again;
  stage.push(1, {0}, 1, pushed);
  BOOST_TEST(failed(pushed, Errc::stale));
  stage.push(1, {0}, 1, again);
  BOOST_TEST(!fine(again));
  BOOST_TEST(stage.keeper->losses.empty());
}

// Goal: whoever names another standby does not count on the one before, nor does one that was lost
// come back by a question that was late.
BOOST_AUTO_TEST_CASE(another_standby_takes_the_place_of_the_one_before) {
  StandbyStage stage;
  stage.replicate(stage.standby);
  stage.cut(true);
  StandbyStage::Answer pushed, next;
  stage.push(1, {0}, 1, pushed);
  BOOST_TEST(!pushed);
  const auto second = stage.spawn_shard(stage.node, true);
  stage.replicate(second);
  BOOST_TEST(fine(pushed));
  // It waits for the next commit, since group 1 is staged.
  BOOST_TEST(!stage.ready());
  stage.replicate(stage.standby);
  BOOST_REQUIRE(stage.replicated.has_value());
  BOOST_TEST((stage.replicated->error().code == Errc::stale));
  stage.replicate(second);
  stage.push(2, {1, 2, 3, 4, 5}, 5, next);
  BOOST_TEST(bool(stage.commit(0, {1, 2})));
  stage.run(1s);
  BOOST_TEST(stage.ready());
  const auto expected = stage.values(stage.shard);
  stage.adopt(second, 4);
  BOOST_TEST(stage.values(second, 4) == expected);
}

// Goal: a new term forgets the standby; who waited for the old one is told so.
BOOST_AUTO_TEST_CASE(a_new_term_begins_without_a_standby) {
  StandbyStage stage;
  stage.replicate(stage.standby);
  stage.cut(true);
  StandbyStage::Answer old, fresh;
  stage.push(1, {0}, 1, old);
  BOOST_TEST(!old);
  stage.adopt(stage.shard, 4);
  BOOST_TEST(failed(old, Errc::stale));
  stage.push(2, {1}, 1, fresh, 0, 4);
  BOOST_TEST(fine(fresh));
}

BOOST_AUTO_TEST_SUITE_END()
