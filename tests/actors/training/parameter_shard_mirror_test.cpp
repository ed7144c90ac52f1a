#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "actors/training/parameter_shard.hpp"
#include "tests/actors/training/standby_stage.hpp"

using namespace slime;
using namespace slime::tests;
namespace data = boost::unit_test::data;

namespace parameter_shard_mirror_test {

bool fine(const StandbyStage::Answer& answer) {
  return answer && *answer;
}

Message<schema::Mirror> piece(std::uint64_t term, std::uint32_t number, std::uint32_t slot,
                              std::uint64_t first, std::size_t values, bool whole = false) {
  const std::vector<float> ones(values, 1.0F);
  return Message<schema::Mirror>::make([&](schema::Mirror::Builder root) {
    root.setTerm(term);
    root.setPiece(number);
    root.setSlot(slot);
    root.setFirst(first);
    root.setValues({reinterpret_cast<const kj::byte*>(ones.data()), 4 * ones.size()});
    if (whole) root.initWhole().setVersion(7);
  });
}

}  // namespace parameter_shard_mirror_test

BOOST_AUTO_TEST_SUITE(parameter_shard_mirror_test)

// Goal: what was there before there was a standby is there, too: values, momentum and what is
// applied of iterations that are not full.
BOOST_AUTO_TEST_CASE(a_standby_gets_what_the_shard_has) {
  StandbyStage stage("a_dsp");
  StandbyStage::Answer one, two, three;
  stage.push(1, {0, 1, 2, 3, 4, 5}, 12, one);
  stage.push(2, {3, 4}, 5, two, 1);
  stage.replicate(stage.standby);
  BOOST_REQUIRE(stage.ready());
  BOOST_TEST(stage.values(stage.standby) == stage.values(stage.shard));
  // Momentum makes the next step a different one without the slots.
  stage.push(3, {0, 1}, 1, three, 1);
  BOOST_TEST(fine(three));
  const auto expected = stage.values(stage.shard);
  stage.adopt(stage.standby, 4).read([](schema::Inventory::Reader read) {
    BOOST_TEST(read.getVersion() == 1u);
    BOOST_TEST(read.getGroups().size() == 2u);
  });
  BOOST_TEST(stage.values(stage.standby, 4) == expected);
}

// Goal: the mirror of a committed mode is made where nothing is staged, and what comes while it is
// on its way follows it. Method: 14 MB of values and as much of momentum are several pieces.
BOOST_AUTO_TEST_CASE(a_large_shard_is_mirrored_in_pieces_while_training_goes_on) {
  StandbyStage stage("bsp", "dense 720000", 5 * 720'000);
  StandbyStage::Answer staged, rest, next;
  stage.push(1, {0, 1}, 1, staged);
  std::size_t pieces = 0;
  bool went_on = false;
  stage.simulation.observe([&](const runtime::Delivery& delivery) {
    if (delivery.message.type == runtime::type_id<schema::Mirrored>()) ++pieces;
    if (delivery.message.type == runtime::type_id<schema::Pushed>() && pieces > 0 && pieces < 9)
      went_on = went_on || delivery.from == stage.shard.address;
    return runtime::Verdict::deliver;
  });
  stage.replicate(stage.standby);
  BOOST_TEST(pieces == 0u);
  stage.push(2, {2, 3, 4, 5}, 1, rest);
  stage.cut(true);
  bool committed = false;
  stage.coordinator.ask(stage.shard,
                        Message<schema::Commit>::make([](schema::Commit::Builder root) {
                          root.setTerm(3);
                          auto groups = root.initGroups(2);
                          groups.set(0, 1);
                          groups.set(1, 2);
                        }),
                        60s, [&committed](const auto& answer) { committed = bool(answer); });
  stage.run(100ms);
  BOOST_TEST(committed);
  stage.push(3, {0, 1, 2}, 2, next, 1);
  // It has no standby yet, so nobody waits for one.
  BOOST_TEST(fine(next));
  BOOST_TEST(!stage.ready());
  stage.cut(false);
  stage.run(5s);
  BOOST_TEST(stage.ready());
  BOOST_TEST(pieces == 9u);
  const auto expected = stage.values(stage.shard);
  stage.adopt(stage.standby, 4).read([](schema::Inventory::Reader read) {
    BOOST_TEST(read.getVersion() == 1u);
    BOOST_REQUIRE(read.getGroups().size() == 1u);
    BOOST_TEST(read.getGroups()[0].getGroup() == 3u);
    BOOST_TEST(read.getLastCommit().size() == 2u);
  });
  BOOST_TEST((stage.values(stage.standby, 4) == expected));
}

// Goal: while it is mirrored, what waits to follow is bounded: whoever pushes more has to wait.
BOOST_AUTO_TEST_CASE(pushes_wait_when_as_much_as_the_mirror_waits_to_follow_it) {
  StandbyStage stage("asp");
  stage.cut(true);
  stage.replicate(stage.standby);
  std::vector<StandbyStage::Answer> answers(6);
  for (std::uint32_t block = 0; block < 6; ++block)
    stage.push(block + 1, {block}, 1, answers[block]);
  BOOST_TEST(fine(answers.front()));
  BOOST_TEST(!answers.back());
  stage.cut(false);
  stage.run(5s);
  for (const auto& answer : answers) BOOST_TEST(fine(answer));
  BOOST_TEST(stage.ready());
}

BOOST_AUTO_TEST_CASE(a_repeated_piece_changes_nothing_and_a_later_term_begins_anew) {
  StandbyStage stage;
  const auto send = [&](const Message<schema::Mirror>& message) {
    return stage.simulation.call(stage.standby, message);
  };
  const std::uint64_t n = small_job_parameters;
  BOOST_TEST(bool(send(piece(3, 0, 0, 0, n))));
  BOOST_TEST(bool(send(piece(3, 1, 1, 0, n))));
  BOOST_TEST(bool(send(piece(3, 2, 0, 0, 0, true))));
  BOOST_TEST(bool(send(piece(3, 0, 0, 0, 3))));
  BOOST_TEST(stage.values(stage.standby) == StandbyStage::Floats(n, 1.0F));
  BOOST_TEST((send(piece(2, 3, 0, 0, n)).error().code == Errc::stale));
  BOOST_TEST((send(piece(4, 1, 0, 0, n)).error().code == Errc::unavailable));
  BOOST_TEST(bool(send(piece(4, 0, 0, 0, n))));
  // Until it is whole it is nobody's.
  const auto asked = stage.simulation.call(
      stage.standby, Message<schema::Adopt>::make([](auto root) { root.setTerm(5); }));
  BOOST_TEST((asked.error().code == Errc::unavailable));
}

BOOST_AUTO_TEST_CASE(a_piece_that_does_not_fit_is_refused) {
  StandbyStage stage;
  const std::uint64_t n = small_job_parameters;
  const Message<schema::Mirror> wrong[] = {piece(3, 0, 0, 0, n + 1), piece(3, 0, 0, n, 1),
                                           piece(3, 0, 0, ~std::uint64_t{0}, 1),
                                           piece(3, 0, 2, 0, n)};
  for (const auto& message : wrong)
    BOOST_TEST(
        (stage.simulation.call(stage.standby, message).error().code == Errc::invalid_argument));
  // One that is somebody's shard takes no mirror.
  BOOST_TEST((stage.simulation.call(stage.shard, piece(3, 0, 0, 0, n)).error().code ==
              Errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_standby_serves_nobody_before_it_is_whole) {
  StandbyStage stage;
  const auto pulled = stage.simulation.call(
      stage.standby, Message<schema::Pull>::make([](auto root) { root.setTerm(3); }));
  BOOST_TEST((pulled.error().code == Errc::unavailable));
  const auto prepared = stage.simulation.call(stage.standby, Message<schema::Prepare>::make());
  BOOST_TEST((prepared.error().code == Errc::unavailable));
}

BOOST_AUTO_TEST_CASE(a_shard_without_parameters_has_a_standby_like_any_other) {
  StandbyStage stage("bsp", "dense 3", 0);
  stage.replicate(stage.standby);
  BOOST_TEST(stage.ready());
  StandbyStage::Answer pushed;
  stage.push(1, {0, 1}, 1, pushed);
  BOOST_TEST(fine(pushed));
  stage.adopt(stage.standby, 4).read([](schema::Inventory::Reader read) {
    BOOST_TEST(read.getGroups().size() == 1u);
  });
}

BOOST_AUTO_TEST_SUITE_END()
