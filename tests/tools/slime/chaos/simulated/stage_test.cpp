#include "tools/slime/chaos/simulated/stage.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/tools/slime/chaos/simulated/staged.hpp"

using namespace slime;
using namespace slime::tests;
using namespace std::chrono_literals;
using slime::tools::Stage;

namespace stage_test {

constexpr const char* whole = "head worker-0 worker-1 shard-0 shard-1";

}  // namespace stage_test

BOOST_FIXTURE_TEST_SUITE(stage_test, Staged)

BOOST_AUTO_TEST_CASE(everybody_joins) {
  BOOST_TEST(stage.places() == 4U);
  BOOST_TEST(living() == stage_test::whole);
}

BOOST_AUTO_TEST_CASE(a_killed_process_is_followed_by_another_one) {
  BOOST_TEST(stage.kill(1, 500ms));
  BOOST_TEST(!stage.kill(1, 500ms));
  run(700ms);
  // Its name is taken until it is declared dead.
  BOOST_TEST(living() == stage_test::whole);
  run(600ms);
  BOOST_TEST(living() == "head worker-0 shard-0 shard-1 worker-1");
}

BOOST_AUTO_TEST_CASE(a_killed_head_is_followed_by_one_that_knows_its_members) {
  BOOST_TEST(stage.kill(Stage::head, 500ms));
  BOOST_TEST(!stage.kill(Stage::head, 0ms));
  run(700ms);
  BOOST_TEST(living() == "worker-0 worker-1 shard-0 shard-1 head");
}

BOOST_AUTO_TEST_CASE(a_short_stop_passes_and_a_long_one_is_a_death) {
  const auto before = stage.simulation().incarnation(stage.cluster().head());
  BOOST_TEST(stage.stop(0, 300ms));
  BOOST_TEST(stage.stop(Stage::head, 300ms));
  run(400ms);
  BOOST_TEST(living() == stage_test::whole);
  BOOST_TEST(stage.stop(0, 2s));
  run(1500ms);
  BOOST_TEST(living() == "head worker-1 shard-0 shard-1");
  run(1s);
  BOOST_TEST(living() == "head worker-1 shard-0 shard-1 worker-0");
  BOOST_TEST(stage.stop(Stage::head, 2s));
  run(3s);
  BOOST_TEST(stage.simulation().incarnation(stage.cluster().head()) > before);
}

BOOST_AUTO_TEST_CASE(who_was_cut_off_for_long_is_replaced) {
  BOOST_TEST(stage.isolate({0, 2}, 300ms));
  run(1500ms);
  BOOST_TEST(living() == stage_test::whole);
  BOOST_TEST(stage.isolate({0, 2}, 2s));
  run(1500ms);
  BOOST_TEST(living() == "head worker-1 shard-1");
  run(1s);
  BOOST_TEST(living() == "head worker-1 shard-1 worker-0 shard-0");
  BOOST_TEST(!stage.isolate({}, 1s));
}

BOOST_AUTO_TEST_CASE(a_cut_link_passes_before_anybody_is_declared_dead) {
  BOOST_TEST(stage.part(0, Stage::head, 10s));
  BOOST_TEST(!stage.part(1, 1, 10ms));
  run(5s);
  BOOST_TEST(living() == stage_test::whole);
}

BOOST_AUTO_TEST_CASE(who_leaves_is_followed_by_somebody_of_another_name) {
  BOOST_TEST(stage.leave(3, 100ms));
  BOOST_TEST(!stage.leave(Stage::head, 100ms));
  run(500ms);
  BOOST_TEST(living() == "head worker-0 worker-1 shard-0 shard-2");
  BOOST_TEST(stage.join("worker"));
  run(100ms);
  BOOST_TEST(living() == "head worker-0 worker-1 shard-0 shard-2 worker-2");
}

// Goal: a head that could not keep what it was told ends, and comes back when it can.
BOOST_AUTO_TEST_CASE(a_head_on_a_full_disk_ends_when_it_has_to_write) {
  BOOST_TEST(stage.fill(Stage::head, 1s));
  BOOST_TEST(!stage.fill(Stage::head, 1s));
  run(200ms);
  BOOST_TEST(living() == stage_test::whole);
  BOOST_TEST(stage.join("worker"));
  run(500ms);
  BOOST_TEST(!stage.simulation().alive(stage.cluster().head()));
  run(1s);
  BOOST_TEST(living() == "worker-0 worker-1 shard-0 shard-1 head worker-2");
}

BOOST_AUTO_TEST_CASE(the_disk_of_a_node_is_full_for_a_while) {
  BOOST_TEST(stage.fill(2, 300ms));
  BOOST_TEST(disk.full("shard-0"));
  run(400ms);
  BOOST_TEST(!disk.full("shard-0"));
}

BOOST_AUTO_TEST_CASE(after_the_end_nothing_happens) {
  bool happened = false;
  stage.after(100ms, [&happened] { happened = true; });
  BOOST_TEST(stage.end());
  run(1s);
  BOOST_TEST(stage.ended());
  BOOST_TEST(!happened);
}

BOOST_AUTO_TEST_SUITE_END()
